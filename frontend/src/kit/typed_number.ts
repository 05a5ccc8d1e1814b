// Numbers as people type them, read as by viz_transformer/experiments/exercises/typed_number.py.

// A comma stands between thousands if three digits follow it and other digits than a lone 0 come before it.
const IN_THOUSANDS = /^[+-]?[1-9]\d{0,2}([, ]\d{3})+(\.\d*)?$/;
const PLAIN = /^[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d{1,3})?$/i;

// 1,024 and 1 024, 0.55 and 0,55, ７, −2, 1e-3, 7/8; null for what is no number.
export function numberOf(text: string): number | null {
  const [above, ...below] = alike(text).split("/");
  const parts = [above, below.join("/")].map((part) => decimal(part.trim()));
  const value = below.length ? parts[0] / (parts[1] || Number.NaN) : parts[0];
  return Number.isFinite(value) ? value : null;
}

function decimal(text: string): number {
  if (IN_THOUSANDS.test(text)) return Number(text.replace(/[, ]/g, ""));
  return PLAIN.test(text) ? Number(text.replace(",", ".")) : Number.NaN;
}

const alike = (text: string): string =>
  text
    .replace(/[！-～]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll("−", "-")
    .replace(/[\u00a0\u202f]/g, " ");
