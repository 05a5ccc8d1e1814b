// The page's colours and fonts, as canvases need them.

export function lookOf(node) {
  const style = getComputedStyle(node);
  return {
    text: style.color,
    background: style.getPropertyValue("--st-background-color"),
    accent: style.getPropertyValue("--st-primary-color"),
    hue: style.getPropertyValue("--hue") || style.color,
    font: style.fontFamily,
    ratio: devicePixelRatio,
  };
}
