// What Streamlit's page says: of its server, whether it runs the page just now, and whether the line to it stands; and in
// words, which it has in English only.

import type { Labels } from "./dom.ts";
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

// Where Streamlit says something itself. Nothing that a person typed stands there.
const SAYS = [
  "[data-testid=stSkipToContent]",
  "[data-testid=stTopNav]",
  "[data-testid=stSidebarNav]",
  "[data-testid=stExpandSidebarButton]",
  "[data-testid=stSidebarCollapseButton] button",
  "[data-testid=stDialog] :is(button, h2, div)",
  "[data-testid=stConnectionStatus] *",
  "[data-testid=stStatusWidget] *",
  "[data-testid=stElementToolbarButton] button",
  "[data-testid=InputInstructions] *",
  "[data-testid=stFileUploaderDropzone] *",
  "[data-testid^=stNumberInput]",
  "[data-testid=stTextInputClearButton]",
  ".stSelectbox button",
  ".stMultiSelect button",
  "[role=option][style*=contents] span", // in place of options
  "[data-testid=stTooltipIcon] button",
].join();
const FRAGMENTS = ["per file", "Help for"]; // beside a size, and a label
const english = new Map<string, string>(); // what was put in its place → what Streamlit had said

// Puts other words in the place of what Streamlit says, by what it says in English -> what ends that.
export function sayForStreamlit(words: Labels): () => void {
  const otherFor = (text: string | null): string => {
    const said = english.get(text ?? "") ?? text ?? "";
    const other = Object.hasOwn(words, said)
      ? words[said]
      : FRAGMENTS.reduce((text, one) => text.replace(one, words[one] ?? one), said);
    english.set(other, said);
    return other;
  };
  const say = (): void => {
    asked = 0;
    for (const node of document.querySelectorAll(SAYS)) {
      const label = node.getAttribute("aria-label");
      if (label && otherFor(label) !== label) node.setAttribute("aria-label", otherFor(label));
      for (const child of node.childNodes) {
        if (child instanceof Text && otherFor(child.data) !== child.data) child.data = otherFor(child.data);
      }
    }
  };
  let asked = requestAnimationFrame(say);
  const observer = new MutationObserver(() => {
    asked ||= requestAnimationFrame(say);
  });
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["aria-label"] });
  return () => {
    observer.disconnect();
    cancelAnimationFrame(asked);
  };
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
