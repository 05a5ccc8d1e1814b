// Whether the link presents a scene: title, question and picture alone.

export function isPresenting(): boolean {
  const { searchParams } = new URL(location.href);
  return searchParams.get("present") === "1" && searchParams.has("scene");
}

// The address of a scene, presented or not.
export function withPresent(address: string, isOn: boolean): string {
  const url = new URL(address);
  if (isOn) url.searchParams.set("present", "1");
  else url.searchParams.delete("present");
  return url.href;
}
