// Tables as files for spreadsheets: RFC 4180, in UTF-8 with the byte order mark by which spreadsheets recognise it.

export type CsvCell = string | number | null; // null is empty

const MARK = "\ufeff";
// A spreadsheet runs a text that begins so as a formula, full-width characters included; anybody may have typed it.
const RUNS = /^[=+\-@\t\r\n＝＋－＠]/;

export function csvOf(rows: readonly (readonly CsvCell[])[]): string {
  return `${MARK}${rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("")}`;
}

function cellOf(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return nineDigits(cell);
  const text = RUNS.test(cell) ? `'${cell}` : cell; // the apostrophe makes it a text
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// As many digits as give back the same float32.
export function nineDigits(value: number): string {
  return String(Number(value.toPrecision(9)));
}
