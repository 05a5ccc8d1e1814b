// What this browser keeps for the app, and tells nobody. A browser may keep nothing.

export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// Keeps a text, or forgets it where it is null -> whether the browser did.
export function store(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

export const SOLVED = "viz solved"; // the exercises' names, with commas between them
export const listed = (text: string | null): string[] => (text ?? "").split(",").filter(Boolean);

export function storedKeys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}
