// A QR code: dark on light in the dark scheme, too, or a camera would not read it.

import type { Tensor } from "../kit/codec.ts";
import { svg } from "../kit/svg.ts";

const QUIET = 4; // modules of light around it

export function qrCode({ shape: [size = 0], values }: Tensor<Uint8Array>, label: string): SVGElement {
  const whole = size + 2 * QUIET;
  const attributes = {
    class: "qr",
    role: "img",
    "aria-label": label,
    viewBox: `0 0 ${whole} ${whole}`,
    "shape-rendering": "crispEdges",
    "data-testid": "share-code",
  };
  const light = svg("rect", { width: whole, height: whole, fill: "#fff" });
  return svg("svg", attributes, light, svg("path", { d: darkModules(size, values), fill: "#000" }));
}

// A rectangle for each run of dark modules in a row.
export function darkModules(size: number, values: Uint8Array): string {
  const parts: string[] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const first = column;
      while (column < size && values[row * size + column]) column++;
      if (column > first) parts.push(`M${first + QUIET} ${row + QUIET}h${column - first}v1h${first - column}z`);
    }
  }
  return parts.join("");
}
