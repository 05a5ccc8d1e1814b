// The height of the window, for what fills it: here, and in style sheets as `var(--vt-window, 100vh)`.

// All that Streamlit shows of a page.
export const PAGE = '[data-testid="stMainBlockContainer"]';
const FIXED = "--vt-window";

// Keeps the height that the window has at first. In a frame that is given the height of its content, a picture as high
// as the frame would otherwise grow with it for ever.
export function fixWindowHeight(): void {
  document.documentElement.style.setProperty(FIXED, `${windowHeight()}px`);
}

// A scene that is presented stands on a stage of this height, which is enlarged to the screen. So every size follows the
// height of the screen, and all screens of one shape show the same.
const STAGE = 540; // CSS pixels
const PICTURE = 425; // of them, between the title and the sentence
const ALONE = 490; // of them, where the picture fills the screen

let onStage = false;
let picture = PICTURE;

export const isOnStage = (): boolean => onStage;

// `isAlone`: a single picture fills the screen.
export function setStage(isOn: boolean, isAlone = false): void {
  if (!isOn && !onStage) return;
  onStage = isOn;
  picture = isAlone ? ALONE : PICTURE;
  const { classList, style } = document.documentElement;
  classList.toggle("vt-stage", isOn);
  if (isOn) {
    style.setProperty("--vt-zoom", String(innerHeight / STAGE));
    style.setProperty(FIXED, `${STAGE}px`);
    addEventListener("resize", refit);
  } else {
    for (const name of ["--vt-zoom", FIXED]) style.removeProperty(name);
    removeEventListener("resize", refit);
  }
}

// The controls of a scene that is presented, and the texts that it reads, hidden until one asks for them.
const CONTROLS = "vt-controls";

export const areControlsShown = (): boolean => document.documentElement.classList.contains(CONTROLS);

export function showControls(isOn: boolean): void {
  document.documentElement.classList.toggle(CONTROLS, isOn);
}

const refit = (): void => setStage(true, picture === ALONE);

// How high a picture may be: what its page, which has `around` above and below it, leaves of the window, but `least`; on
// the stage all that is there but `own`, of its title and its legend.
export function roomFor(around: number, least: number, own: number): number {
  return isOnStage() ? picture - own : Math.max(least, windowHeight() - around);
}

export function windowHeight(): number {
  return Number.parseFloat(document.documentElement.style.getPropertyValue(FIXED)) || innerHeight;
}
