// The digit keys choose one of a row: 1 the first.

// -> its place from 0, or null for another key, a digit beyond `count` or a shortcut of the browser.
export function digitOf(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">,
  count: number,
): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return null;
  const place = Number(event.key) - 1;
  return place < count ? place : null;
}

// -> whether a digit chose; then nobody else hears of the key.
export function chooseByDigit(event: KeyboardEvent, count: number, choose: (place: number) => void): boolean {
  const place = digitOf(event, count);
  if (place === null) return false;
  event.stopPropagation();
  event.preventDefault();
  choose(place);
  return true;
}
