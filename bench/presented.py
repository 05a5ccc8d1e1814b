"""What a person in the last row would miss of a scene, or of a picture alone: what is cut, covered or too small."""

from __future__ import annotations

from bench.first_screen import DEEP

LEAST = 0.022  # of the screen's height that a letter is high
LINE = 60 / 720  # of it that title and place take at most

# Notes the letters that are painted on canvases, each with its size in pixels of the canvas.
WATCH_LETTERS = """(() => {
  for (const context of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
    const { fillText, clearRect } = context.prototype;
    context.prototype.clearRect = function (...given) {
      this.canvas.letters = [];
      clearRect.apply(this, given);
    };
    context.prototype.fillText = function (text, ...given) {
      const { a, b } = this.getTransform();
      const size = parseFloat(this.font.match(/([\\d.]+)px/)[1]) * Math.hypot(a, b);
      if (String(text).trim()) (this.canvas.letters ??= []).push([size, String(text)]);
      fillText.call(this, text, ...given);
    };
  }
})()"""

# -> what is wrong, a line each; and the smallest letters: their share of the screen's height, and what they say
MISSED = f"""([key, leastLetter, highestLine]) => {{{DEEP}
  const faults = new Set(), sizes = [], texts = [];
  const box = (node) => node.getBoundingClientRect();
  const up = (node) => node.parentNode instanceof ShadowRoot ? node.parentNode.host : node.parentElement;
  const isSeen = (node) => node.checkVisibility({{ visibilityProperty: true, opacityProperty: true }})
    && !node.closest(".visually-hidden, [hidden], .vt-room, option, .katex-mathml, .away, .warming");
  const screen = (root) => root.fullscreenElement?.shadowRoot ? screen(root.fullscreenElement.shadowRoot)
    : root.fullscreenElement;
  const alone = screen(document);
  const page = all(alone ?? document.querySelector("[data-testid=stMain]")).filter(isSeen);
  const line = alone ? new DOMRect() : box(page.find((node) => node.matches(".scene")));
  const sentence = alone ? new DOMRect(0, innerHeight)
    : box(page.find((node) => ["scene-question", "scene-says"].includes(node.dataset.testid)));
  if (line.height > highestLine * innerHeight + 1) faults.add(`the line is ${{line.height}} high`);
  const name = (node) => node.dataset?.testid ?? node.closest?.("[data-testid]")?.dataset.testid ?? node.tagName;
  const isOfBar = (node) => node !== null && (node.matches(".scene") || isOfBar(up(node)));

  // Inside of the screen between line and sentence, and of every box on the way up that cuts.
  const check = (rect, node, what) => {{
    if (!rect.width || !rect.height) return;
    const [top, bottom] = isOfBar(node) ? [0, innerHeight] : [line.bottom, sentence.top];
    const places = [rect.left, rect.right, rect.top, rect.bottom].map(Math.round);
    if (rect.left < -1 || rect.right > innerWidth + 1 || rect.top < top - 1 || rect.bottom > bottom + 1) {{
      faults.add(`${{what}} reaches past its place, ${{[Math.round(top), Math.round(bottom)]}}: ${{places}}`);
      return;
    }}
    for (let at = up(node); at && at !== (alone && up(alone)) && !isOfBar(node); at = up(at)) {{
      if (getComputedStyle(at).overflow === "visible" || at.localName === "svg") continue;
      const around = box(at);
      if (rect.left >= around.left - 1.5 && rect.right <= around.right + 1.5 && rect.top >= around.top - 1.5
        && rect.bottom <= around.bottom + 1.5) continue;
      faults.add(`${{what}} is cut by ${{at.localName}}.${{at.className}} ${{name(at)}}: ${{places}}`);
      return;
    }}
  }};
  for (const node of page) {{
    if (node.matches("canvas, svg, table, img") && !node.matches(".field > svg")) // a tree's lines reach to later steps
      check(box(node), node, `${{node.localName}} ${{name(node)}}`);
    for (const child of node.childNodes) {{
      if (child.nodeType !== Node.TEXT_NODE || !child.data.replaceAll("\u200b", "").trim()) continue;
      if (node.matches("style, script, sub, sup, title")) continue;
      const range = document.createRange();
      range.selectNodeContents(child);
      const text = child.data.trim().slice(0, 30);
      for (const rect of range.getClientRects()) check(rect, node, `text of ${{name(node)}}`);
      texts.push([box(range), text]);
      const matrix = node instanceof SVGElement && node.getScreenCTM();
      const scale = matrix ? Math.hypot(matrix.a, matrix.b) : node.currentCSSZoom;
      sizes.push([parseFloat(getComputedStyle(node).fontSize) * scale / innerHeight, text]);
    }}
    if (node.localName === "canvas" && box(node).height && node.letters) for (const [size, text] of node.letters)
      sizes.push([size * box(node).height / node.height / innerHeight, `${{text}} (${{name(node)}})`]);
  }}
  for (const [size, text] of sizes)
    if (size < leastLetter - 1e-4) faults.add(`“${{text}}” is ${{(100 * size).toFixed(2)}} % of the screen high`);
  texts.forEach(([one, text], n) => {{
    for (const [other, under] of texts.slice(0, n)) {{
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      // The boxes of two lines may touch: a letter fills two thirds of its box.
      if (wide > 2 && high > Math.min(one.height, other.height) / 3) faults.add(`“${{text}}” is over “${{under}}”`);
    }}
  }});
  const shown = page.find((node) => node.matches(`.st-key-${{key}}`));
  if (key && !shown && !page.some((node) => node.matches(".predict"))) faults.add(`there is no ${{key}}`);
  return [[...faults], Math.min(...sizes.map(([size]) => size))];
}}"""
