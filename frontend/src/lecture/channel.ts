// What the windows of one browser tell each other about a lecture: where it is, and to move on.

import type { Does } from "./next.ts";

// What the lecture's window shows, and does next.
export interface Now {
  readonly at: number; // of the places
  readonly shows: string; // the sentence below the title
  readonly does: Does | ""; // after Page Down; "": the page changes just now
  readonly began: number; // when the show did, in milliseconds since 1970; 0: nothing is presented
  readonly members: number; // of the room that is asked; 0: none is
  readonly answered: number; // of them
}

export type Message =
  | Now
  | { readonly by: 1 | -1 } // to go on, or back
  | { readonly asks: true }; // for a window that has just opened

export class Channel {
  readonly #channel: BroadcastChannel;

  constructor(lecture: string, hear: (message: Message) => void) {
    this.#channel = new BroadcastChannel(`viz lecture ${lecture}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => hear(Object(data)); // of any version of the app
  }

  say(message: Message): void {
    this.#channel.postMessage(message);
  }

  close(): void {
    this.#channel.close();
  }
}
