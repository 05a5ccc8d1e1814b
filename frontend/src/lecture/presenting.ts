// Whether the link presents a scene: title, question and picture alone.

import { classroom } from "../kit/classroom.ts";
import { store, stored } from "../kit/stored.ts";

const SHOW = "viz show"; // when it was last presented from the beginning

export function isPresenting(): boolean {
  const { searchParams } = new URL(location.href);
  return searchParams.get("present") === "1" && searchParams.has("scene") && mayPresent();
}

// Who came into a room to follow has neither a lecturer's screen nor the notes.
export function mayPresent(): boolean {
  const part = classroom()?.part ?? "leads";
  return part === "leads";
}

// The address of a scene, presented or not.
export function withPresent(address: string, isOn: boolean): string {
  const url = new URL(address);
  if (isOn) url.searchParams.set("present", "1");
  else url.searchParams.delete("present");
  return url.href;
}

// From now on everything is hidden again: what was predicted while the lecturer tried it is kept apart.
export function beginShow(): void {
  store(SHOW, String(Date.now()));
}

// What keeps apart one show from the next; "" where nothing is presented.
export function showNow(): string {
  return (isPresenting() && stored(SHOW)) || "";
}
