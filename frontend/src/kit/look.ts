// @ts-nocheck
// The page's colours and fonts, as canvases need them.

import { isDark } from "./colour.ts";

export function lookOf(node) {
  const style = getComputedStyle(node);
  const background = style.getPropertyValue("--st-background-color");
  return {
    text: style.color,
    background,
    isDark: isDark(background),
    accent: style.getPropertyValue("--st-primary-color"),
    hue: style.getPropertyValue("--hue") || style.color,
    font: style.fontFamily,
    ratio: devicePixelRatio,
  };
}
