// In a frame on somebody's page: tells that page how high what is shown is.

import { hearRuns, isRunning } from "../kit/streamlit.ts";
import { fixWindowHeight, PAGE } from "../kit/window.ts";

const QUIET = 800; // milliseconds without a change before a height is said: a page is drawn piece by piece

// -> stops
export function reportHeight(): () => void {
  const { parent } = globalThis;
  if (parent === globalThis.self || new URLSearchParams(location.search).get("embed") !== "true") return () => {};
  fixWindowHeight();
  let said: number | null = null;
  let watched: Element | null = null;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    const page = document.querySelector(PAGE);
    if (!page) return;
    if (page !== watched) {
      observer.disconnect();
      observer.observe(page);
      watched = page;
    }
    if (isRunning()) return; // half a page
    const height = Math.ceil(page.getBoundingClientRect().height);
    if (height === said) return;
    said = height;
    clearTimeout(waiting);
    // A height is no secret, so that any page may hear it.
    waiting = setTimeout(() => parent.postMessage({ type: "viz-transformer:height", height }, "*"), QUIET);
  };
  const observer = new ResizeObserver(look);
  const stopHearing = hearRuns(look);
  look();
  return () => {
    clearTimeout(waiting);
    observer.disconnect();
    stopHearing();
  };
}
