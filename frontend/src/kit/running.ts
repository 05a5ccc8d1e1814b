// Whether the server runs the page just now, as Streamlit says it.

const SAYS = "data-test-script-state";

export function isRunning(): boolean {
  const state = document.querySelector(`[${SAYS}]`)?.getAttribute(SAYS) ?? "notRunning";
  return state !== "notRunning";
}

// After the run that is on its way or about to begin; at the latest after so many milliseconds.
export function afterRun(then: () => void, patience: number): void {
  const end = (): void => {
    clearTimeout(timer);
    observer.disconnect();
    then();
  };
  const timer = setTimeout(end, patience);
  const observer = new MutationObserver(() => {
    if (!isRunning()) end();
  });
  const root = document.querySelector(`[${SAYS}]`);
  if (root) observer.observe(root, { attributeFilter: [SAYS] });
}
