// Where the model runs: in a worker, made of this program's own text; or on the page itself, where a browser allows no
// such worker, as some do in a sandboxed frame or in a file.

import type { Reply, Request } from "../model/protocol.ts";
import type { LiveReply, LiveRequest } from "./protocol.ts";
import { LiveSession } from "./session.ts";

type Asked = Request | LiveRequest;
type Told = Reply | LiveReply;

const READY = "ready"; // what a worker says first

// What this program does in a worker.
export function answerPage(): void {
  const session = new LiveSession((reply, transfer) => postMessage(reply, { transfer }));
  addEventListener("message", ({ data }) => void session.receive(data));
  postMessage(READY);
}

// `hear` gets every reply -> how to ask.
export async function connected(code: string, hear: (reply: Told) => void): Promise<(asked: Asked) => void> {
  try {
    const worker = await started(code);
    worker.onmessage = ({ data }) => hear(data);
    return (asked) => worker.postMessage(asked);
  } catch {
    const session = new LiveSession((reply) => hear(reply));
    return (asked) => void session.receive(asked);
  }
}

function started(code: string): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    worker.onmessage = () => resolve(worker);
    worker.onerror = reject;
  });
}
