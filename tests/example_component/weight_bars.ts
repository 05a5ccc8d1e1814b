// The weights of one query as bars, one for each key; a click chooses one, another click lets it go.

import type { Tensor } from "../kit/codec.ts";
import { component } from "../kit/component.ts";
import { element, fillText } from "../kit/dom.ts";

type View = { readonly bar: number | null };
type Content = { readonly weights: Tensor<Float32Array>; readonly keys: readonly string[] };

const BUTTON = "height: 12rem; display: inline-flex; flex-direction: column; justify-content: end";

export default component<View, Content>((parent, settled) => {
  const root = element("div", { className: "view" });
  parent.append(root);

  const mark = () => [...root.children].forEach((one, n) => (one.ariaPressed = String(n === settled.view.bar)));
  const choose = (bar: number) => {
    settled.change({ bar: bar === settled.view.bar ? null : bar });
    settled.commitIn();
    mark();
  };
  return {
    show({ weights: { values }, keys }, labels) {
      const bars = keys.map((key, n) => {
        const title = fillText(labels.bar, { key, weight: values[n].toFixed(4) });
        const style = `width: 2rem; height: ${10 * values[n]}rem; background: var(--st-primary-color)`;
        return element("button", { title, style: BUTTON, onclick: () => choose(n) }, element("span", { style }), key);
      });
      root.replaceChildren(...bars);
      mark();
    },
    remove: () => root.remove(),
  };
});
