// The program of a file one can type into, which stands in the page; in the page's worker it runs the model.

import type { Alone } from "../kit/standalone.ts";
import { SentenceError } from "../model/sentences.ts";
import { archiveIn, opened } from "./archive.ts";
import { answerPage, connected } from "./connection.ts";
import { LivePage } from "./page.ts";
import type { Front } from "./texts.ts";

if (typeof document === "undefined") answerPage();

// Everything is in the page by then, or what is missing is known to be.
export async function open(): Promise<void> {
  if (document.readyState === "loading") {
    await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
  }
  const place = document.getElementById("page") as HTMLElement;
  try {
    const front = await opened<Front>(archiveIn("front"));
    const page = new LivePage(front, await panels(front.code), place);
    const code = document.getElementById("live")?.textContent ?? "";
    page.start(await connected(code, (reply) => page.hear(reply)));
  } catch (error) {
    if (!(error instanceof SentenceError)) throw error;
    place.textContent = error.message;
  }
}

// The panels come as a module. Nothing can import a script that stands in a page, so it hands over what it exports.
function panels(code: string): Promise<Alone> {
  return new Promise((resolve) => {
    handOver = (view) => resolve(view());
    const script = document.createElement("script");
    script.type = "module";
    script.textContent = `${code}\nlive.take(view);`;
    document.body.append(script);
  });
}

let handOver: (view: () => Alone) => void;

export const take = (view: () => Alone): void => handOver(view);
