// The model in a thread of its own, so that the page goes on while it computes; see protocol.ts for what one asks it.

import { Session } from "./session.ts";

const session = new Session((reply, transfer) => postMessage(reply, { transfer }));

addEventListener("message", ({ data }) => void session.receive(data));
