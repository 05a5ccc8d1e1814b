// The button that shares what is on the screen, and its box: the link, its QR code, code for a page, a scene of it.

import type { Tensor } from "../kit/codec.ts";
import type { Panel } from "../kit/component.ts";
import { element, fillText, inARow, type Labels, setFace } from "../kit/dom.ts";
import { copyText } from "../kit/export.ts";
import { follow, lectureAddress, link } from "../kit/go.ts";
import type { ViewState } from "../kit/view_state.ts";
import { FrameCode } from "./frame.ts";
import { reportHeight } from "./height.ts";
import { isPacked, keepMine, mine } from "./mine.ts";
import { hearOpenShare } from "./opens.ts";
import { qrCode } from "./qr.ts";

export interface View {
  readonly address: string;
  readonly mine: string;
  readonly place: string; // in the lecture; "": a new scene
  readonly title: string;
  readonly question: string; // or a step's sentence
  readonly note: string;
  readonly asked: number;
}
export interface Shared {
  readonly address: string; // that this is of; "": of none
  readonly limits: readonly number[]; // characters of title, question, note and a step's sentence
  readonly long: number; // characters: programs may cut off a longer link
  readonly qr?: Tensor<Uint8Array> | null;
  readonly can_add?: boolean;
  readonly places?: readonly (readonly [place: string, name: string])[]; // where in the lecture the view may go
  readonly at?: string; // the place that is meant unless one chooses
  readonly answer?: Answer;
}
type Answer = { readonly asked: number } & (
  | { readonly mine: string; readonly said: string }
  | { readonly refused: string; readonly is_damaged: boolean }
);

const NOTHING: View = { address: "", mine: "", place: "", title: "", question: "", note: "", asked: 0 };

export class SharePanel implements Panel<Shared> {
  readonly #root = element("div", { className: "view share" });
  readonly #button = element("button", { type: "button", className: "open", testId: "share" });
  readonly #box = element("dialog", { className: "share-box", testId: "share-box" });
  readonly #heading = element("h2", {});
  readonly #close = element("button", { type: "button", className: "close", textContent: "×" });
  readonly #link = element("input", { type: "text", readOnly: true, testId: "share-link" });
  readonly #copy = element("button", { type: "button", testId: "share-copy" });
  readonly #copied = element("p", { role: "status", className: "said" });
  readonly #long = element("p", { className: "said", testId: "share-long" });
  readonly #code = element("button", { type: "button", className: "scan", testId: "share-large" });
  readonly #frame = new FrameCode((code) => void this.#copyOf(code));
  readonly #add = element("summary", { testId: "share-add" });
  readonly #place = element("select", { testId: "share-place" });
  readonly #as = element("span");
  readonly #title = element("input", { type: "text", testId: "share-title" });
  readonly #question = element("input", { type: "text", testId: "share-question" });
  readonly #note = element("textarea", { rows: 3, testId: "share-note" });
  readonly #fields = [this.#title, this.#question, this.#note] as const;
  readonly #names = this.#fields.map(() => element("span"));
  readonly #rows = this.#fields.map((field, n) => element("label", {}, this.#names[n], field));
  readonly #adds = element("button", { type: "submit", testId: "share-adds" });
  readonly #answer = element("p", { role: "status", className: "said", testId: "share-answer" });
  readonly #adding = element("details", {});
  readonly #state: ViewState<View>;
  readonly #stops: readonly (() => void)[];
  #labels: Labels = {};
  #limit = 0;
  #limits: readonly number[] = [];
  #places = ""; // those that the list has
  #asked = 0; // scenes, so far
  #done = 0; // of them, answered

  constructor(parent: HTMLElement, state: ViewState<View>) {
    this.#state = state;
    const place = element("label", {}, this.#as, this.#place);
    const form = element("form", { noValidate: true }, place, ...this.#rows, this.#adds, this.#answer);
    this.#adding.append(this.#add, form);
    const row = element("p", { className: "row" }, this.#link, this.#copy);
    const texts = element("div", {}, row, this.#copied, this.#long, this.#adding, this.#frame.root);
    this.#box.append(this.#heading, this.#close, texts, this.#code);
    this.#root.append(this.#button, this.#box);
    parent.append(this.#root);
    this.#button.onclick = () => this.#open();
    this.#close.onclick = () => this.#box.close();
    this.#copy.onclick = () => void this.#copyOf(this.#link);
    this.#code.onclick = () => this.#box.classList.toggle("large");
    this.#box.oncancel = (event) => this.#leaveLarge(event);
    this.#box.onclose = () => this.#ask(NOTHING);
    this.#box.onclick = (event) => {
      if (event.target === this.#box) this.#box.close(); // on the backdrop
    };
    this.#box.onkeydown = (event) => event.stopPropagation(); // the page below knows keys, too
    this.#place.onchange = () => this.#showFields();
    form.onsubmit = (event) => this.#submit(event);
    globalThis.navigation?.addEventListener("currententrychange", this.#onNavigate);
    this.#stops = [reportHeight(), hearOpenShare(() => this.#open())];
  }

  show(shared: Shared, labels: Labels, moved: boolean): void {
    this.#labels = labels;
    this.#limit = shared.long;
    this.#name(shared, labels);
    if (moved && this.#box.open) this.#takeAddress();
    const isOfThis = shared.address !== "" && shared.address === this.#link.value;
    this.#code.replaceChildren(...(isOfThis && shared.qr ? [qrCode(shared.qr, labels.code)] : []));
    this.#code.hidden = !isOfThis || !shared.qr;
    if (isOfThis) this.#showLength(shared.qr === null);
    this.#adding.hidden = !(isOfThis && shared.can_add);
    this.#showPlaces(shared);
    if (shared.answer && shared.answer.asked > this.#done) this.#hear(shared.answer);
  }

  remove(): void {
    globalThis.navigation?.removeEventListener("currententrychange", this.#onNavigate);
    for (const stop of this.#stops) stop();
    this.#root.remove();
  }

  #name(shared: Shared, labels: Labels): void {
    setFace(this.#button, "share", labels.share, false);
    this.#heading.textContent = labels.share;
    this.#close.title = labels.close;
    this.#close.ariaLabel = labels.close;
    this.#link.ariaLabel = labels.link;
    this.#copy.textContent = labels.copy;
    this.#code.title = labels.large;
    this.#frame.name(labels);
    this.#add.textContent = labels.add;
    this.#adds.textContent = labels.add;
    this.#as.textContent = labels.as;
    this.#limits = shared.limits;
    this.#showFields();
  }

  // The list of places, with the one that is meant; once they are there, whoever chose another one keeps it.
  #showPlaces({ address, places, at = "" }: Shared): void {
    const shown = JSON.stringify([address, places, at]);
    if (!places || shown === this.#places) return;
    this.#places = shown;
    this.#place.replaceChildren(...places.map(([value, textContent]) => element("option", { value, textContent })));
    this.#place.value = at;
    this.#showFields();
  }

  // A new scene has all fields, a next step a sentence; in place of another view stands this one, and no text changes.
  #showFields(): void {
    const labels = this.#labels;
    const isScene = this.#place.value === "";
    const isStep = this.#place.value.endsWith("+");
    for (const [n, text] of [labels.title, isStep ? labels.says : labels.question, labels.note].entries()) {
      this.#names[n].textContent = text;
      this.#fields[n].maxLength = this.#limits[isStep && n === 1 ? 3 : n];
      this.#rows[n].hidden = !(isScene || (isStep && n === 1));
    }
  }

  #open(): void {
    if (this.#box.open) return;
    this.#copied.textContent = "";
    this.#answer.replaceChildren();
    this.#box.classList.remove("large");
    this.#box.showModal();
    this.#takeAddress();
  }

  // Fills the box for the address that the browser shows now, and asks Python for its QR code.
  #takeAddress(): void {
    const address = viewAddress();
    this.#link.value = address;
    this.#frame.show(address, document.title);
    this.#code.hidden = true;
    this.#showLength(false);
    this.#ask({ ...NOTHING, address, mine: mine() });
  }

  #showLength(hasNoCode: boolean): void {
    const labels = this.#labels;
    const limit = this.#limit;
    const count = this.#link.value.length;
    const lecture = new URL(this.#link.value || location.href).searchParams.get("lecture") ?? "";
    const said = [
      ...(count > limit ? [fillText(labels.long, { count, limit })] : []),
      ...(count > limit && isPacked(lecture) ? [labels.file] : []),
      ...(hasNoCode ? [labels.no_code] : []),
    ];
    this.#long.textContent = inARow(...said);
  }

  #ask(view: View): void {
    this.#state.change(view);
    this.#state.commitIn(0);
  }

  #submit(event: Event): void {
    event.preventDefault();
    this.#send(mine());
  }

  #send(lecture: string): void {
    this.#asked += 1;
    const [title, question, note] = this.#fields.map(({ value }) => value.toWellFormed());
    const { value: address } = this.#link;
    const place = lecture && this.#place.value;
    this.#ask({ address, mine: lecture, place, title, question, note, asked: this.#asked });
  }

  #hear(answer: Answer): void {
    const labels = this.#labels;
    if (answer.asked !== this.#asked) return; // to an earlier one
    this.#done = answer.asked;
    if ("refused" in answer) {
      this.#answer.replaceChildren(answer.refused, ...(answer.is_damaged ? [" ", this.#anew()] : []));
      return;
    }
    const said = [answer.said, ...(keepMine(answer.mine) ? [] : [labels.not_kept])];
    const open = link(lectureAddress(answer.mine), "", labels.open);
    open.onclick = (event) => {
      follow(event);
      if (event.defaultPrevented) this.#box.close();
    };
    this.#answer.replaceChildren(inARow(...said), " ", open);
    for (const field of this.#fields) field.value = "";
  }

  // A button that begins a new lecture, where the one that this browser has kept is damaged.
  #anew(): HTMLElement {
    const button = element("button", { type: "button", textContent: this.#labels.anew });
    button.onclick = () => this.#send("");
    return button;
  }

  async #copyOf(field: HTMLInputElement | HTMLTextAreaElement): Promise<void> {
    const done = await copyText(field.value, this.#box);
    this.#copied.textContent = done ? this.#labels.copied : this.#labels.not_copied;
    if (done) return;
    field.focus();
    field.select();
  }

  #leaveLarge(event: Event): void {
    if (!this.#box.classList.contains("large")) return;
    event.preventDefault();
    this.#box.classList.remove("large");
  }

  // A view that settled a moment ago has written itself into the link.
  readonly #onNavigate = (): void => {
    if (this.#box.open && viewAddress() !== this.#link.value) this.#takeAddress();
  };
}

// The address of the view, without the room in which it is seen now: that will be gone.
function viewAddress(): string {
  const url = new URL(location.href);
  if (url.searchParams.has("room")) url.searchParams.delete("room");
  return url.href;
}
