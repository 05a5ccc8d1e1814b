// What the windows of one browser tell each other about a lecture: where it is, and to move on.

export type Said =
  | { readonly at: number } // the lecture is there
  | { readonly by: 1 | -1 } // to go on, or back
  | { readonly asks: true }; // for a window that has just opened

export class Channel {
  private readonly channel: BroadcastChannel;

  constructor(lecture: string, hear: (said: Said) => void) {
    this.channel = new BroadcastChannel(`viz lecture ${lecture}`);
    this.channel.onmessage = ({ data }: MessageEvent<Said>) => hear(data);
  }

  say(said: Said): void {
    this.channel.postMessage(said);
  }

  close(): void {
    this.channel.close();
  }
}
