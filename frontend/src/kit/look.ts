// The page's colours and fonts, as canvases need them.

import { isDark } from "./colour.ts";

export interface Look {
  readonly text: string;
  readonly background: string;
  readonly isDark: boolean;
  readonly accent: string;
  readonly hue: string; // of what is shown, where it has one
  readonly font: string; // family
  readonly ratio: number; // device pixels in a CSS pixel
}

// How much a node is enlarged: what is presented is. Places of events and boxes are in pixels of the screen.
export const zoomOf = (node: Element): number => node.currentCSSZoom ?? 1;

export function lookOf(node: Element): Look {
  const style = getComputedStyle(node);
  const background = style.getPropertyValue("--st-background-color");
  return {
    text: style.color,
    background,
    isDark: isDark(background),
    accent: style.getPropertyValue("--st-primary-color"),
    hue: style.getPropertyValue("--hue") || style.color,
    font: style.fontFamily,
    ratio: devicePixelRatio * zoomOf(node),
  };
}
