// In a frame on somebody's page: tells that page how high what is shown is.

const PAGE = '[data-testid="stMainBlockContainer"]';
const QUIET = 800; // milliseconds without a change before a height is said: a page is drawn piece by piece
const FOLLOWS = 500; // milliseconds in which a picture takes the room that a higher window gives

// What is said once the content has a height in a window of a height. Some pictures are as high as the window: what they
// grow by because the page gave the frame the height that was said is not said, or it would grow for ever.
export class Height {
  private content = 0;
  private window: number | null = null;
  private room = 0; // that the window got and no picture has taken yet
  private since = 0; // when it got it
  private taken = 0; // of the content's height: room that the window gave
  private said: number | null = null;

  // -> what is to be said; null: nothing new
  measure(content: number, window: number, now: number): number | null {
    if (this.window !== null && window !== this.window) {
      this.room = window - this.window;
      this.since = now;
    }
    if (now - this.since > FOLLOWS) this.room = 0;
    const grown = content - this.content;
    if (this.window !== null && grown * this.room > 0) {
      const follows = Math.sign(grown) * Math.min(Math.abs(grown), Math.abs(this.room));
      this.taken += follows;
      this.room -= follows;
    }
    this.content = content;
    this.window = window;
    const height = Math.max(0, content - this.taken);
    if (height === this.said) return null;
    this.said = height;
    return height;
  }
}

// -> stops
export function reportHeight(): () => void {
  const { parent } = globalThis;
  if (parent === globalThis.self || new URLSearchParams(location.search).get("embed") !== "true") return () => {};
  const height = new Height();
  let watched: Element | null = null;
  const root = document.querySelector("[data-test-script-state]"); // where Streamlit says what the server does
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    const page = document.querySelector(PAGE);
    if (!page) return;
    if (page !== watched) {
      observer.disconnect();
      observer.observe(page);
      watched = page;
    }
    if (root && root.getAttribute("data-test-script-state") !== "notRunning") return; // half a page
    const said = height.measure(Math.ceil(page.getBoundingClientRect().height), innerHeight, performance.now());
    if (said === null) return;
    clearTimeout(waiting);
    // A height is no secret, so that any page may hear it.
    waiting = setTimeout(() => parent.postMessage({ type: "viz-transformer:height", height: said }, "*"), QUIET);
  };
  const observer = new ResizeObserver(look);
  const runs = new MutationObserver(look);
  if (root) runs.observe(root, { attributeFilter: ["data-test-script-state"] });
  look();
  addEventListener("resize", look);
  return () => {
    clearTimeout(waiting);
    removeEventListener("resize", look);
    observer.disconnect();
    runs.disconnect();
  };
}
