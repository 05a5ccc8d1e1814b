// The visitor's own lecture, packed: this browser keeps it, and nobody else. A browser may keep nothing.

const KEY = "viz my lecture";
const PACKED = /^z\.[\w-]+$/; // anything else there is none

export function mine(): string {
  try {
    const text = localStorage.getItem(KEY) ?? "";
    return PACKED.test(text) ? text : "";
  } catch {
    return "";
  }
}

// "": forgets it. -> whether the browser does
export function keepMine(lecture: string): boolean {
  try {
    if (lecture) localStorage.setItem(KEY, lecture);
    else localStorage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
}
