// Buttons with a text, and those that ask before they act.

import { element } from "./dom.ts";

export function textButton(textContent: string, testId: string, press: () => void): HTMLButtonElement {
  return element("button", { type: "button", textContent, onclick: press, testId: testId });
}

// A button that asks `question` first, for what cannot be taken back; with "" it acts at once.
export function asking(name: string, question: string, testId: string, act: () => void): HTMLButtonElement {
  const node = textButton(name, testId, () => {
    if (!question || node.textContent === question) act();
    else node.textContent = question;
  });
  return node;
}
