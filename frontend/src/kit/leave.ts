// How a page is left: by the navigation, once Python has heard what it was told.

const LINKS = '[data-testid="stTopNavLink"], [data-testid="stSidebarNavLink"]'; // on a wide screen, and on a phone
const PATIENCE = 1000; // milliseconds

// The link of the navigation that is clicked to open another page here.
export function linkToPage(event: Event): HTMLElement | null {
  const { target, ctrlKey, metaKey, shiftKey } = event as MouseEvent;
  if (ctrlKey || metaKey || shiftKey || !(target instanceof Element)) return null;
  return target.closest<HTMLElement>(LINKS);
}

// Follows the link after the run that is about to begin, not at once.
export function followLater(link: HTMLElement, click: Event): void {
  if (click.defaultPrevented) return; // another component on the page does
  click.preventDefault();
  click.stopPropagation();
  const root = document.querySelector("[data-test-script-state]"); // where Streamlit says what the server does
  const go = (): void => {
    clearTimeout(timer);
    observer.disconnect();
    link.click();
  };
  const timer = setTimeout(go, PATIENCE);
  const observer = new MutationObserver(() => {
    if (root?.getAttribute("data-test-script-state") === "notRunning") go();
  });
  if (root) observer.observe(root, { attributeFilter: ["data-test-script-state"] });
}
