// A picture hears its keys as soon as the page is open: those pressed elsewhere, where nobody has a use for them, go to it.

const FIELDS = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable=true]";
const CONTROLS = "a, button, summary, input, [role=radio], [role=slider], [role=tab], [tabindex]:not([tabindex='-1'])";
const CHOOSES = /^[1-9a-z]$/; // what no control has a use for

// `target`: the element whose listeners know the keys. Of several pictures the first that takes a key has it.
// -> stops hearing
export function hearKeys(target: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (!event.isTrusted || event.composedPath().includes(target) || !isFree(event)) return;
    const { key, code, shiftKey } = event;
    const again = new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true });
    if (!target.dispatchEvent(again)) event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

// -> whether a key is nobody's: not the browser's, not taken, not typed into a field, not what moves the focused control
export function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  const focused = event.composedPath()[0];
  if (!(focused instanceof Element)) return true;
  return !focused.matches(FIELDS) && (CHOOSES.test(event.key) || !focused.matches(CONTROLS));
}
