// What leaves the page: text to the clipboard, a file to the disk.

import { type Context, cleared } from "./canvas.ts";
import { element } from "./dom.ts";
import type { Look } from "./look.ts";

// -> whether it worked. Browsers offer the clipboard only over https and on localhost; elsewhere the old way
// is left, which needs a `place` that can have the focus: while a dialog is open, one in it.
export async function copyText(text: string, place: ParentNode = document.body): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { value: text, style: "position:fixed;opacity:0" });
    place.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

// What is painted below a title, as a PNG on the page's colour, in the resolution of the screen.
export function pictureOf(
  title: string,
  // In CSS pixels, without the margin; `size`: of the title's letters.
  { width, height, margin, size }: { width: number; height: number; margin: number; size: number },
  { background, text, font, ratio }: Pick<Look, "background" | "text" | "font" | "ratio">,
  paint: (context: Context) => void,
): Promise<Blob> {
  const picture = new OffscreenCanvas((width + 2 * margin) * ratio, (height + 2 * margin) * ratio);
  const context = cleared(picture, ratio);
  context.fillStyle = background;
  context.fillRect(0, 0, width + 2 * margin, height + 2 * margin);
  context.translate(margin, margin);
  context.fillStyle = text;
  context.textBaseline = "top";
  context.font = `600 ${size}px ${font}`;
  context.fillText(title, 0, 0, width);
  paint(context);
  return picture.convertToBlob({ type: "image/png" });
}
