// The frame in which another page shows a view: its code, and whether the server lets that page have it.

import { element, fillText, inARow, type Labels } from "../kit/dom.ts";
import { mayFrame, settingFor, siteOf } from "./frame_ancestors.ts";

const TEXTS = ["embed", "embed_copy", "look", "needs", "site", "try"];

export class FrameCode {
  readonly root: HTMLElement;
  readonly #code = element("textarea", { readOnly: true, rows: 3 });
  readonly #look = element("a", { target: "_blank" });
  readonly #site = element("input", { inputMode: "url" });
  readonly #answer = element("p", { role: "status", className: "said" });
  // What has a text, in the order of `TEXTS`.
  readonly #texts = [
    element("summary"),
    element("button"),
    this.#look,
    element("p"),
    element("span"),
    element("button"),
  ] as const;
  #labels: Labels = {};

  constructor(copy: (code: HTMLTextAreaElement) => void) {
    const [summary, button, look, needs, site, tries] = this.#texts;
    const form = element("form", {}, element("label", {}, site, this.#site), tries, this.#answer);
    this.root = element("details", {}, summary, this.#code, button, " ", look, needs, form);
    button.onclick = () => copy(this.#code);
    form.onsubmit = (event) => {
      event.preventDefault();
      const typed = this.#site.value;
      void this.#ask(typed).then((said) => {
        if (typed === this.#site.value) this.#answer.textContent = said;
      });
    };
  }

  name(labels: Labels): void {
    this.#labels = labels;
    this.#code.ariaLabel = labels.embed;
    for (const [n, node] of this.#texts.entries()) node.textContent = labels[TEXTS[n]];
  }

  show(address: string, title: string): void {
    this.#code.value = frameOf(address, title);
    this.#look.href = embedded(address);
    this.#answer.textContent = "";
  }

  // -> a sentence that says whether the site of this address may show it
  async #ask(typed: string): Promise<string> {
    const labels = this.#labels;
    const site = siteOf(typed);
    if (!site) return labels.no_site;
    const answer = await fetch(this.#look.href, { method: "HEAD" }).catch(() => Response.error());
    if (!answer.ok) return labels.no_answer;
    const policies = answer.headers.get("Content-Security-Policy");
    const is = mayFrame(policies, site, location);
    const setting = `VIZ_FRAME_ANCESTORS="${settingFor(policies, site)}"`;
    const said = fillText(is ? labels.may : labels.may_not, { site: site.origin, setting });
    // A browser takes its own machine for secure, too.
    return site.protocol === "https:" && !isSecureContext ? inARow(said, labels.mixed) : said;
  }
}

function embedded(address: string): string {
  const url = new URL(address);
  url.searchParams.delete("present");
  url.searchParams.set("embed", "true");
  return url.href;
}

// The iframe by which another page shows an address.
export function frameOf(address: string, title: string): string {
  const [source, name] = [embedded(address), title].map(escaped);
  return `<iframe src="${source}" title="${name}" style="width: 100%; height: 600px; border: 0"></iframe>`;
}

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replace(/[&"<>]/g, (sign) => SIGNS[sign] ?? sign);
