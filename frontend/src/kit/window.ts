// The height of the window, for what fills it: here, and in style sheets as `var(--vt-window, 100vh)`.

// All that Streamlit shows of a page.
export const PAGE = '[data-testid="stMainBlockContainer"]';
const FIXED = "--vt-window";

// Keeps the height that the window has at first. In a frame that is given the height of its content, a picture as high
// as the frame would otherwise grow with it for ever.
export function fixWindowHeight(): void {
  document.documentElement.style.setProperty(FIXED, `${windowHeight()}px`);
}

export function windowHeight(): number {
  return Number.parseFloat(document.documentElement.style.getPropertyValue(FIXED)) || innerHeight;
}
