// What Streamlit's page says of its server: whether it runs the page just now, and whether the line to it stands.

const RUNS = "data-test-script-state";
const CONNECTS = "data-test-connection-state";

export function isRunning(): boolean {
  return said(RUNS, "notRunning") !== "notRunning";
}

// After the run that is on its way or about to begin; at the latest after so many milliseconds.
export function afterRun(then: () => void, patience: number): void {
  const end = (): void => {
    clearTimeout(timer);
    stop();
    then();
  };
  const timer = setTimeout(end, patience);
  const stop = hear(RUNS, () => {
    if (!isRunning()) end();
  });
}

// Whenever it begins to run the page, or has ended -> stops hearing.
export function hearRuns(hearer: () => void): () => void {
  return hear(RUNS, hearer);
}

export function isConnected(): boolean {
  return said(CONNECTS, "CONNECTED") === "CONNECTED";
}

// Now, or once the line is back: what it is told without one, Streamlit forgets.
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

function hear(attribute: string, hearer: () => void): () => void {
  const observer = new MutationObserver(hearer);
  const root = rootThatSays(attribute);
  if (root) observer.observe(root, { attributeFilter: [attribute] });
  return () => observer.disconnect();
}

function rootThatSays(attribute: string): Element | null {
  return document.querySelector(`[${attribute}]`);
}
