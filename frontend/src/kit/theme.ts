// Light or dark outside of Streamlit: as the page around the view is.

import { isDark } from "./colour.ts";

// What notebooks write on their pages: JupyterLab, VS Code, Colab; marimo and others.
const DARK =
  '[data-jp-theme-light="false"], .vscode-dark, .vscode-high-contrast, [theme="dark"], .dark, [data-theme="dark"]';
const LIGHT = '[data-jp-theme-light="true"], .vscode-light, [theme="light"], .light, [data-theme="light"]';
const SAYS = [
  "class",
  "style",
  "theme",
  "data-theme",
  "data-jp-theme-light",
  "data-jp-theme-name",
  "data-vscode-theme-kind",
];

// Marks `parent` as light or dark and calls `show`, now and with every change. `asked` is "light", "dark", or "" for what
// `around` is -> how to stop.
export function followTheme(parent: HTMLElement, around: HTMLElement, asked: string, show: () => void): () => void {
  const preference = matchMedia("(prefers-color-scheme: dark)");
  const paint = (): void => {
    parent.classList.toggle("dark", asked ? asked === "dark" : isDarkAround(around, preference.matches));
    show();
  };
  const onChange = (): void => {
    if (!asked && parent.classList.contains("dark") !== isDarkAround(around, preference.matches)) paint();
  };
  const observer = new MutationObserver(onChange);
  for (const node of [document.documentElement, document.body]) observer.observe(node, { attributeFilter: SAYS });
  preference.addEventListener("change", onChange);
  paint();
  return () => {
    observer.disconnect();
    preference.removeEventListener("change", onChange);
  };
}

function isDarkAround(node: HTMLElement, prefersDark: boolean): boolean {
  const pages = [document.body, document.documentElement];
  if (pages.some((page) => page.matches(DARK))) return true;
  if (pages.some((page) => page.matches(LIGHT))) return false;
  for (let one: Node | null = node; one; one = one instanceof ShadowRoot ? one.host : one.parentNode) {
    const colour = one instanceof Element ? getComputedStyle(one).backgroundColor : "";
    if (colour && !/^transparent$|, 0\)$/.test(colour)) return isDark(colour);
  }
  return prefersDark && getComputedStyle(document.documentElement).colorScheme.includes("dark");
}
