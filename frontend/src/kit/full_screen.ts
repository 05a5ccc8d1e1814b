// Any picture fills the screen: by its button, or by "f", which takes the one that is pointed at, or the first. Then it is
// as large as on the stage of a lecture.

import { element } from "./dom.ts";
import { isFree } from "./keys.ts";
import { svg } from "./svg.ts";
import { setStage } from "./window.ts";

export class FullScreen {
  readonly #view: HTMLElement;
  #isFull = false;
  readonly #button = element("button", {
    type: "button",
    className: "full-screen",
    testId: "full-screen",
  });

  // `hasKey`: whether "f" is heard anywhere on the page; `changed`: the picture has another size now.
  constructor(view: HTMLElement, hasKey: boolean, changed: () => void) {
    this.#view = view;
    const corners = "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4";
    this.#button.append(
      svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: corners })),
    );
    this.#button.onclick = () => this.#toggle();
    this.#button.hidden = !document.fullscreenEnabled;
    view.append(this.#button);
    view.addEventListener("fullscreenchange", () => {
      this.#isFull = view.matches(":fullscreen");
      setStage(this.#isFull, true);
      changed();
    });
    if (hasKey) document.addEventListener("keydown", this.#onKey);
  }

  name(label: string): void {
    this.#button.title = label;
    this.#button.ariaLabel = label;
  }

  remove(): void {
    document.removeEventListener("keydown", this.#onKey);
    if (this.#isFull) setStage(false); // the browser does not tell a picture that has left the page
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== "f" || !isFree(event)) return;
    const take = (): void => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      this.#toggle();
    };
    // A picture that is pointed at takes the key first; the others wait until all of them have heard it.
    if (document.fullscreenElement || this.#view.matches(":hover")) take();
    else setTimeout(take);
  };

  #toggle(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void this.#view.requestFullscreen();
  }
}
