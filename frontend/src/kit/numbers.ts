// Numbers as a person reads them.

// `digits` after the point; very small and very large ones with an exponent, so that none looks like another.
export function numberText(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 0.5 * 10 ** -digits && size < 1e5);
  return (isPlain ? value.toFixed(digits) : value.toExponential(Math.max(0, digits - 2))).replaceAll("-", "−");
}

// A number of a matrix. Where all of them are whole, a mask's for instance, there is nothing after a point.
export function valueText({ isWhole }: { isWhole?: boolean }, value: number): string {
  return isWhole && Number.isInteger(value) ? String(value).replaceAll("-", "−") : numberText(value);
}

// At the ends of a scale: as short as three significant digits allow.
export function tickText(value: number): string {
  return String(Number(value.toPrecision(3))).replaceAll("-", "−");
}

// Along an axis. 1024 is written out: it is a power of two. A million is not.
export function axisText(value: number): string {
  if (Math.abs(value) >= 1e6)
    return Number(value.toPrecision(3)).toExponential().replace("e+", "e").replaceAll("-", "−");
  return Number.isInteger(value) && Math.abs(value) < 1e5 ? String(value).replaceAll("-", "−") : tickText(value);
}

// Inside a cell, where there is room for five characters.
export function cellText(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size >= 1e5) return numberText(value, 2).replace(/\.?0*e\+?/, "e");
  return value.toFixed(size < 100 ? 2 : 0).replaceAll("-", "−");
}
