// What one can do with a lecture of one's own, beside the path: this browser keeps it, and nobody else knows.

import { element, type Labels } from "../kit/dom.ts";
import { addressOf, go } from "../kit/go.ts";
import { keepMine, mine } from "../share/mine.ts";
import { OPENS } from "../share/opens.ts";
import { follow } from "./bar.ts";
import type { Lecture } from "./lecture.ts";

export interface Shown extends Lecture {
  readonly packed: string; // the whole lecture, as a link has it
  readonly line?: string; // the same while it is changed here, step by step
  readonly is_imported?: boolean;
}

export class Own {
  private line: string | undefined; // of the visitor's own

  // The links and buttons for a lecture that is shown; `again` shows it anew.
  ways(lecture: Shown, labels: Labels, again: () => void): HTMLElement[] {
    this.keepAlong(lecture);
    const own = mine();
    const isMine = own === lecture.packed;
    const isPacked = lecture.lecture === lecture.packed; // and not a shipped one
    const share = button(labels.share, "path-share", () => document.dispatchEvent(new CustomEvent(OPENS)));
    const keep = (): void => {
      keepMine(lecture.packed);
      this.line = lecture.line;
      if (isPacked) again();
      else go(ownAddress(lecture.packed));
    };
    const forget = (): void => {
      keepMine("");
      this.line = undefined;
      again();
    };
    return [
      ...(own && !isMine ? [link(ownAddress(own), "own", labels.own)] : []),
      ...(isMine ? [] : [asking(labels.keep, own ? labels.replace : "", "path-keep", keep)]),
      ...(isPacked ? [share] : []),
      ...(isMine ? [asking(labels.forget, labels.forget_really, "path-forget", forget)] : []),
      ...(isMine ? [element("span", { className: "yours", textContent: labels.yours })] : []),
    ];
  }

  // What the visitor's own has become, and what came from a file where there was none.
  private keepAlong({ packed, line, is_imported }: Shown): void {
    const own = mine();
    const isChanged = line !== undefined && line === this.line && own !== "" && own !== packed;
    if (isChanged || (is_imported && own === "")) keepMine(packed);
    if (mine() === packed) this.line = line;
  }
}

const ownAddress = (packed: string): string => addressOf(`?${new URLSearchParams({ lecture: packed })}`);

export function link(address: string, className: string, textContent = ""): HTMLAnchorElement {
  const node = element("a", { className, textContent });
  node.href = address;
  node.onclick = follow;
  return node;
}

function button(textContent: string, testId: string, press: () => void): HTMLButtonElement {
  const node = element("button", { type: "button", textContent, "data-testid": testId });
  node.onclick = press;
  return node;
}

// A button for what cannot be taken back asks first; "": it need not.
function asking(name: string, question: string, testId: string, act: () => void): HTMLButtonElement {
  const node = button(name, testId, () => {
    if (!question || node.textContent === question) act();
    else node.textContent = question;
  });
  return node;
}
