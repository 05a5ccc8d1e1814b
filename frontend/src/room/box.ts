// The box of a room: its code, large enough for the last row, and the QR code and the link by which a class comes in.

import type { TallyOf } from "../kit/classroom.ts";
import type { Tensor } from "../kit/codec.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import { copyText } from "../kit/export.ts";
import { qrCode } from "../share/qr.ts";
import { RulesForm } from "./rules.ts";
import type { Rule, Rules } from "./state.ts";
import { Texts } from "./texts.ts";

const HERE = /^(localhost|127\.|\[::1\])/; // names by which no other machine finds this one

export interface Actions {
  begin(): void; // a new room
  csv(): void;
  end(): void;
  rule(rule: Rule, isSet: boolean): void;
  showTexts(): void;
  removeText(text: string): void;
  join(code: string): void;
}

export class Box {
  readonly element = element("dialog", { className: "share-box room-box", testId: "room-box" });
  readonly #heading = element("h2", {});
  readonly #close = element("button", { type: "button", className: "close", textContent: "×" });
  readonly #code = element("p", { className: "room-code", testId: "room-large-code" });
  readonly #how = element("p", {});
  readonly #begin = element("button", { type: "button", className: "primary", testId: "room-begin" });
  readonly #link = element("input", { type: "text", readOnly: true, testId: "room-link" });
  readonly #copy = element("button", { type: "button", testId: "room-copy" });
  readonly #said = element("p", { role: "status", className: "said", testId: "room-box-said" });
  readonly #scan = element("button", { type: "button", className: "scan", testId: "room-scan" });
  readonly #csv = element("button", { type: "button", testId: "room-csv" });
  readonly #end = element("button", { type: "button", testId: "room-end" });
  readonly #leads = element("p", { className: "row" }, this.#csv, this.#end);
  readonly #other = element("input", {
    type: "text",
    maxLength: 5,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: false,
    testId: "room-other",
  });
  readonly #otherName = element("span");
  readonly #join = element("button", { type: "submit", testId: "room-join" });
  readonly #joining: HTMLDetailsElement;
  readonly #rules: RulesForm;
  readonly #unread: Texts;
  #labels: Labels = {};
  #isEnding = false;
  #isShown = false; // to a class: the code alone, as large as the screen

  constructor(actions: Actions) {
    const row = element("p", { className: "row" }, this.#link, this.#copy);
    const form = element("form", { noValidate: true }, element("p", { className: "row" }, this.#other, this.#join));
    this.#joining = element("details", {}, element("summary", {}, this.#otherName), form);
    this.#rules = new RulesForm((rule, isSet) => actions.rule(rule, isSet));
    this.#unread = new Texts({ show: () => actions.showTexts(), remove: (text) => actions.removeText(text) });
    const led = [this.#unread.element, this.#leads, this.#rules.element];
    const texts = element("div", {}, this.#code, this.#how, this.#begin, row, this.#said, ...led, this.#joining);
    this.element.append(this.#heading, this.#close, texts, this.#scan);
    this.#close.onclick = () => this.element.close();
    this.#begin.onclick = () => actions.begin();
    this.#copy.onclick = () => void this.#copyLink();
    this.#scan.onclick = () => this.element.classList.toggle("large");
    this.#csv.onclick = () => actions.csv();
    this.#end.onclick = () => {
      if (this.#isEnding) actions.end();
      this.#setEnding(!this.#isEnding);
    };
    this.element.onclick = (event) => {
      if (event.target === this.element) this.element.close(); // on the backdrop
    };
    this.element.oncancel = (event) => {
      if (!this.element.classList.contains("large") || this.#isShown) return;
      event.preventDefault();
      this.element.classList.remove("large");
    };
    this.element.onkeydown = (event) => {
      event.stopPropagation(); // the page below knows keys, too
      if (this.#isShown && event.key === "q") this.element.close();
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      if (isCode(this.#other.value)) actions.join(this.#other.value.trim().toUpperCase());
      else this.say(this.#labels.no_code);
    };
  }

  show(code: string, address: string, isLeading: boolean, labels: Labels): void {
    this.#labels = labels;
    this.#heading.textContent = labels.room;
    this.#close.title = this.#close.ariaLabel = labels.close;
    this.#code.textContent = code;
    this.#code.hidden = !code;
    this.#code.dataset.address = address.replace(/^https?:\/\//, "");
    this.#how.textContent = code ? (HERE.test(new URL(address).host) ? labels.only_here : labels.how) : labels.what;
    this.#begin.textContent = labels.begin;
    this.#begin.hidden = Boolean(code);
    this.#scan.hidden = this.#link.parentElement!.hidden = !code;
    this.#link.value = address;
    this.#link.ariaLabel = labels.link;
    this.#copy.textContent = labels.copy;
    this.#scan.title = labels.large;
    this.#csv.textContent = labels.csv;
    this.#leads.hidden = !isLeading;
    this.#otherName.textContent = this.#other.ariaLabel = code ? labels.other : labels.into;
    this.#join.textContent = labels.join;
    this.#setEnding(this.#isEnding);
  }

  // What only a lecturer sees. `rules`: null for anybody else; `texts`: null where there is nothing to read.
  showLed(rules: Rules | null, texts: TallyOf<"token"> | null, labels: Labels): void {
    this.#rules.show(rules, labels);
    this.#unread.show(texts, labels);
  }

  // `qr`: of the address; null: there is none yet.
  showCode(qr: Tensor<Uint8Array> | null, labels: Labels): void {
    this.#scan.replaceChildren(...(qr ? [qrCode(qr, labels.qr)] : []));
  }

  say(text: string): void {
    this.#said.textContent = text;
  }

  open(): void {
    if (this.element.open) return;
    this.say("");
    this.#joining.open = !this.#begin.hidden;
    this.#setEnding(false);
    this.#isShown = false;
    this.element.classList.remove("large");
    this.element.showModal();
  }

  // While a room is being opened, no second one is.
  wait(isWaiting: boolean): void {
    this.#begin.disabled = isWaiting;
  }

  enlarge(): void {
    this.#isShown = true;
    this.element.classList.add("large");
  }

  #setEnding(isEnding: boolean): void {
    this.#isEnding = isEnding;
    this.#end.textContent = isEnding ? this.#labels.end_really : this.#labels.end;
  }

  async #copyLink(): Promise<void> {
    const done = await copyText(this.#link.value, this.element);
    this.say(done ? this.#labels.copied : fillText(this.#labels.not_copied, {}));
    if (done) return;
    this.#link.focus();
    this.#link.select();
  }
}

export const isCode = (text: string): boolean => /^[A-HJ-NP-Z]{5}$/i.test(text.trim());
