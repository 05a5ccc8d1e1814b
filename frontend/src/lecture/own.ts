// What one can do with a lecture of one's own, beside the path: this browser keeps it, and nobody else knows.

import { asking, textButton } from "../kit/asking.ts";
import { element, type Labels } from "../kit/dom.ts";
import { go, lectureAddress, link } from "../kit/go.ts";
import { isPacked, keepMine, mine } from "../share/mine.ts";
import { openShare } from "../share/opens.ts";
import type { Lecture } from "./lecture.ts";

export interface Shown extends Lecture {
  readonly packed: string; // the whole lecture, as a link has it
  readonly line?: string; // a name that stays the same while the lecture is edited here
  readonly is_imported?: boolean;
}

export class Own {
  #line: string | undefined; // of the visitor's own
  isKept = true; // unless this browser keeps nothing

  // The links and buttons for a lecture that is shown; `again` shows it anew.
  ways(lecture: Shown, labels: Labels, again: () => void): HTMLElement[] {
    const own = mine();
    const isMine = own === lecture.packed;
    const isInLink = isPacked(lecture.lecture); // and not a shipped one
    const share = textButton(labels.share, "path-share", () => openShare());
    const keep = (): void => {
      this.isKept = keepMine(lecture.packed);
      this.#line = lecture.line;
      if (isInLink) again();
      else go(lectureAddress(lecture.packed));
    };
    const forget = (): void => {
      this.isKept = keepMine("");
      this.#line = undefined;
      again();
    };
    return [
      ...(own && !isMine ? [link(lectureAddress(own), "own", labels.own)] : []),
      ...(isMine ? [] : [asking(labels.keep, own ? labels.replace : "", "path-keep", keep)]),
      ...(isInLink ? [share] : []),
      ...(isMine ? [asking(labels.forget, labels.forget_really, "path-forget", forget)] : []),
      ...(isMine ? [element("span", { className: "yours", textContent: labels.yours })] : []),
      ...(this.isKept ? [] : [element("span", { role: "status", className: "said", textContent: labels.not_kept })]),
    ];
  }

  // Keeps what an edit has made of the visitor's own lecture, or one from a file where there was none.
  keepAlong({ packed, line, is_imported }: Shown): void {
    const own = mine();
    const isChanged = line !== undefined && line === this.#line && own !== "" && own !== packed;
    if (isChanged || (is_imported && own === "")) this.isKept = keepMine(packed);
    if (mine() === packed) this.#line = line;
  }
}
