// What the windows of one browser tell each other about a lecture: where it is, and to move on.

export type Message =
  | { readonly at: number } // the lecture is there
  | { readonly by: 1 | -1 } // to go on, or back
  | { readonly asks: true }; // for a window that has just opened

export class Channel {
  readonly #channel: BroadcastChannel;

  constructor(lecture: string, hear: (message: Message) => void) {
    this.#channel = new BroadcastChannel(`viz lecture ${lecture}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
  }

  say(message: Message): void {
    this.#channel.postMessage(message);
  }

  close(): void {
    this.#channel.close();
  }
}
