// Traditional characters turned into simplified ones, as in chinese.py, by the dictionaries of OpenCC.

export type Dictionary = Readonly<Record<string, string>>;

// The longest entries are replaced first, of equal ones the leftmost; what no entry of the first dictionary touches goes to
// the next.
export function simplified(text: string, dictionaries: readonly Dictionary[]): string {
  const signs = [...text];
  const written: (string | null)[] = signs.map(() => null); // what stands there now; "" where an entry began before
  for (const dictionary of dictionaries) {
    const lengths = new Set(Object.keys(dictionary).map((entry) => [...entry].length));
    for (const length of [...lengths].sort((a, b) => b - a)) {
      for (let start = 0; start + length <= signs.length; start++) {
        const isFree = written.slice(start, start + length).every((one) => one === null);
        const entry = isFree ? signs.slice(start, start + length).join("") : "";
        if (!Object.hasOwn(dictionary, entry)) continue;
        written.fill("", start, start + length);
        written[start] = dictionary[entry];
      }
    }
  }
  return written.map((one, n) => one ?? signs[n]).join("");
}
