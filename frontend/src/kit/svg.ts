// Elements of a drawing. Text goes in as text, never as markup.

// In a figure of the paper the arrow keys go from box to box with the flow of the data (1) or against it (-1).
export const MOVES: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

// Lines of text around the middle of a box.
export function textLines(
  x: number,
  y: number,
  lines: readonly string[],
  lineHeight: number,
  className = "",
): SVGTextElement {
  const first = y - ((lines.length - 1) * lineHeight) / 2;
  return svg(
    "text",
    { x, y: first, class: className, "text-anchor": "middle", "dominant-baseline": "central" },
    ...lines.map((line, n) => {
      const span = svg("tspan", { x, dy: n ? lineHeight : 0 });
      span.textContent = line;
      return span;
    }),
  );
}

// Enter and Space do what a click does.
export function asButton<Button extends SVGElement>(
  node: Button,
  label: string,
  testId: string,
  onPress: (event: Event) => void,
): Button {
  node.setAttribute("role", "button");
  node.setAttribute("tabindex", "0");
  node.setAttribute("aria-label", label);
  node.setAttribute("data-testid", testId);
  node.onclick = onPress;
  node.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    onPress(event);
  };
  return node;
}
