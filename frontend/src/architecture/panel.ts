// @ts-nocheck
// The figure, and beside it the chosen box: what it is, its page, its recorded tensors.

import { Choice, numbers } from "../kit/choice.ts";
import { element, whenStyled } from "../kit/dom.ts";
import { Settled } from "../kit/settled.ts";
import { Drawing } from "./drawing.ts";

export class ArchitecturePanel {
  constructor(parent, lastViews) {
    this.settled = new Settled(lastViews);
    this.drawing = new Drawing((box, isFocusMoved) => this.change({ box, tensor: null }, isFocusMoved));
    this.title = element("h3", { className: "title", "data-testid": "ar-title" });
    this.text = element("p", { className: "text" });
    this.link = element("a", { className: "page", target: "_self", "data-testid": "ar-link" });
    this.layers = new Choice("ar", "layer", (layer) => this.change({ layer }));
    this.table = element("table", { "data-testid": "ar-tensors" });
    this.box = element(
      "section",
      { className: "chosen", "aria-live": "polite" },
      this.title,
      this.text,
      this.layers.element,
      this.table,
      this.link,
    );
    this.element = element(
      "div",
      { className: "view lesson architecture-view", "data-testid": "ar-root" },
      this.drawing.element,
      this.box,
    );
    parent.append(this.element);
    whenStyled(parent, this.element, () => {});
  }

  show({ request, content }, commit) {
    this.settled.adopt(request, commit);
    Object.assign(this, { content, labels: request.labels });
    const drawn = JSON.stringify([content, request.labels]);
    if (drawn !== this.drawn) this.drawing.show(content, request.labels);
    this.drawn = drawn;
    this.layers.setLabels(request.labels.layer, "");
    this.render();
  }

  change(change, isFocusMoved = false) {
    this.settled.change(change);
    this.render(isFocusMoved);
    this.settled.commitIn(isFocusMoved ? undefined : 0);
  }

  render(isFocusMoved) {
    const { view } = this.settled;
    const box = this.content.boxes.find(({ id }) => id === view.box);
    this.drawing.update(box.id, isFocusMoved);
    this.title.textContent = box.title.replaceAll("\n", " ");
    this.text.textContent = box.text;
    const layer = Math.min(view.layer, box.layers.length - 1);
    this.layers.element.hidden = box.layers.length < 2;
    this.layers.update(numbers(box.layers.length), layer);
    const { href, tensors } = box.layers[layer];
    this.link.href = href;
    this.link.textContent = box.page;
    this.showTensors(tensors, view.tensor ?? box.main);
  }

  showTensors(tensors, chosen) {
    const { labels } = this;
    const rows = tensors.map(({ stage, name, letters, shape }) => {
      const button = element("button", {
        type: "button",
        textContent: stage,
        title: name,
        "data-testid": `ar-tensor-${stage}`,
        onclick: () => this.change({ tensor: stage }),
      });
      button.setAttribute("aria-pressed", String(stage === chosen));
      return element(
        "tr",
        { className: stage === chosen ? "taken" : "" },
        element("th", { scope: "row" }, button),
        element("td", { textContent: letters }),
        element("td", { textContent: shape }),
      );
    });
    const heads = [labels.tensor, labels.letters, labels.shape].map((text) =>
      element("th", { scope: "col", textContent: text }),
    );
    this.table.replaceChildren(
      element("caption", { textContent: labels.recorded }),
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    );
  }

  remove() {
    this.settled.wait();
    this.element.remove();
  }
}
