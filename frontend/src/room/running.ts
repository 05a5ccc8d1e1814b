// Whether the server runs the page just now, as Streamlit says it.

const ROOT = "[data-test-script-state]";

export function isRunning(): boolean {
  return document.querySelector(ROOT)?.getAttribute("data-test-script-state") === "running";
}
