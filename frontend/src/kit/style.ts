// The style of all panels: the module brings it, so that a panel has its sizes and colours before it draws.

// The build defines it; sources that run unbuilt, as in tests, have no style.
declare const STYLE: string | undefined;

export const style = typeof STYLE === "undefined" ? "" : STYLE;

let sheet: CSSStyleSheet | undefined; // parsed once for all panels of a page

// Gives the style to the document or shadow root in which the node stands.
export function dress(node: Node): void {
  if (!style) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
  }
  const { adoptedStyleSheets } = node.getRootNode() as Document | ShadowRoot;
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
