// What leaves the page: text to the clipboard, a file to the disk.

import { element } from "./dom.ts";

// -> whether it worked. Browsers offer the clipboard only over https and on localhost. Elsewhere it is copied from a
// field, which needs a `place` where it can have the focus: while a dialog is open, one in it.
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
