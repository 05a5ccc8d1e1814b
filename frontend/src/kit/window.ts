// How high the window is, for what is as high as it: here, and in style sheets as `var(--vt-window, 100vh)`.

// All that Streamlit shows of a page.
export const PAGE = '[data-testid="stMainBlockContainer"]';
const FIXED = "--vt-window";

// A frame that is given the height of its content keeps the height that it had at first: a picture as high as the frame
// would grow with it for ever.
export function fixWindowHeight(): void {
  document.documentElement.style.setProperty(FIXED, `${windowHeight()}px`);
}

export function windowHeight(): number {
  return Number.parseFloat(document.documentElement.style.getPropertyValue(FIXED)) || innerHeight;
}
