// What Streamlit's page says of its server: whether it runs the page just now, and whether the line to it stands.

import { store } from "./stored.ts";

const RUNS = "data-test-script-state";
const CONNECTS = "data-test-connection-state";

export function isRunning(): boolean {
  return said(RUNS, "notRunning") !== "notRunning";
}

// Calls `then` after the run that is on its way or about to begin; after `patience` milliseconds at the latest.
// `opens`: the run opens a page. It can be over before the page says that it runs, but not before it shows another one.
export function afterRun(then: () => void, patience: number, opens = false): void {
  const end = (): void => {
    clearTimeout(timer);
    stop();
    then();
  };
  const timer = setTimeout(end, patience);
  const ended = (): void => {
    if (!isRunning()) end();
  };
  const stop = hear(RUNS, ended, opens ? { childList: true, subtree: true } : {});
}

// Calls `hearer` whenever a run begins or ends -> how to stop hearing.
export function hearRuns(hearer: () => void): () => void {
  return hear(RUNS, hearer);
}

// Opens the page anew in this scheme, "Light" or "Dark": Streamlit reads it only then, under this name.
export function chooseScheme(scheme: string): void {
  store(`stActiveTheme-${location.pathname}-v2`, JSON.stringify(scheme));
  location.reload();
}

export function isConnected(): boolean {
  return said(CONNECTS, "CONNECTED") === "CONNECTED";
}

// Calls `then` now, or once the connection is back: Streamlit forgets what it is told without one.
export function whenConnected(then: () => void): void {
  if (isConnected()) {
    then();
    return;
  }
  const stop = hear(CONNECTS, () => {
    if (!isConnected()) return;
    stop();
    then();
  });
}

function said(attribute: string, usual: string): string {
  return rootThatSays(attribute)?.getAttribute(attribute) ?? usual;
}

function hear(attribute: string, hearer: () => void, more: MutationObserverInit = {}): () => void {
  const observer = new MutationObserver(hearer);
  const root = rootThatSays(attribute);
  if (root) observer.observe(root, { attributeFilter: [attribute], ...more });
  return () => observer.disconnect();
}

function rootThatSays(attribute: string): Element | null {
  return document.querySelector(`[${attribute}]`);
}
