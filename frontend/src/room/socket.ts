// The line to the room: opened again whenever it is lost, until the room is gone.

export type Heard = Readonly<Record<string, unknown>>;
export type Lost = "again" | "gone" | "refused" | "removed" | "closed" | "full";

export interface Line {
  heard(message: Heard): void;
  lost(why: Lost): void;
}

const WHY: Readonly<Record<number, Lost>> = {
  4403: "refused",
  4404: "gone",
  4410: "removed",
  4423: "closed",
  4503: "full",
};
const FINAL: readonly Lost[] = ["refused", "gone", "removed"];
const FIRST = 250; // milliseconds before the first new try; up to twice that at random, to spread a class out
const SLOWEST = 5000; // between two tries
const BEAT = 20_000; // between two signs of life, each way
const PATIENCE = 10_000; // for an answer to one

export class Socket {
  readonly #url: string;
  readonly #hello: () => object;
  readonly #line: Line;
  #socket: WebSocket | null = null;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #beat: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(url: string, hello: () => object, line: Line) {
    this.#url = url;
    this.#hello = hello;
    this.#line = line;
    addEventListener("online", this.#onOnline);
    document.addEventListener("visibilitychange", this.#onOnline);
    this.#open();
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  say(message: object): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(message));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#beat);
    removeEventListener("online", this.#onOnline);
    document.removeEventListener("visibilitychange", this.#onOnline);
    this.#socket?.close();
  }

  #open(): void {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.onopen = () => {
      socket.send(JSON.stringify({ hello: this.#hello() }));
      this.#live();
    };
    socket.onmessage = ({ data }) => {
      this.#tries = 0;
      this.#live();
      const message = read(data);
      if (message) this.#line.heard(message);
    };
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#lose(code);
    };
  }

  #lose(code: number): void {
    this.#socket = null;
    clearTimeout(this.#beat);
    if (this.#isClosed) return;
    const why = WHY[code] ?? "again";
    this.#line.lost(why);
    if (FINAL.includes(why) || this.#isClosed) return;
    const wait = Math.min(FIRST * 1.7 ** this.#tries, SLOWEST) * (1 + Math.random());
    this.#tries += 1;
    this.#timer = setTimeout(() => this.#open(), wait);
  }

  // Pings after a silence: a phone that changes its network keeps a socket open that nobody answers.
  #live(): void {
    clearTimeout(this.#beat);
    this.#beat = setTimeout(() => {
      this.say({ ping: 1 });
      const socket = this.#socket;
      this.#beat = setTimeout(() => {
        socket?.close();
        if (socket && this.#socket === socket) this.#lose(0);
      }, PATIENCE);
    }, BEAT);
  }

  // Tries again at once when the network is back or the page is looked at again.
  readonly #onOnline = (): void => {
    if (this.#socket || this.#isClosed || document.visibilityState === "hidden") return;
    clearTimeout(this.#timer);
    this.#open();
  };
}

function read(data: unknown): Heard | null {
  try {
    const message: unknown = JSON.parse(String(data));
    return typeof message === "object" && message !== null ? (message as Heard) : null;
  } catch {
    return null;
  }
}
