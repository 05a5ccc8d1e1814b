// Whether the link presents: title, question and picture alone.

export function isPresenting(): boolean {
  return new URL(location.href).searchParams.get("present") === "1";
}
