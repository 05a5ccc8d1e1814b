// The style of all panels: the module brings it, so that a panel has its sizes and colours before it draws.

// What the build puts in here; sources that run as they stand have no style.
declare const STYLE: string | undefined;

export const style = typeof STYLE === "undefined" ? "" : STYLE;

let sheet: CSSStyleSheet | undefined; // parsed once for all panels of a page

// Whatever stands in the same root as the node.
export function dress(node: Node): void {
  if (!style) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
  }
  const { adoptedStyleSheets } = node.getRootNode() as Document | ShadowRoot;
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
