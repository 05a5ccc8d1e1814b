// What a browser keeps of the rooms in which it was: the secret of those that it leads, and its seat in the others.

import { store, stored } from "../kit/stored.ts";

const keyOf = (code: string): string => `viz room ${code}`;
const seatKeyOf = (code: string): string => `viz seat ${code}`;

// By the room's code; for a browser that stores nothing.
const secrets = new Map<string, string>();
const seats = new Map<string, string>();

// null where it does not lead.
export const secretOf = (code: string): string | null => secrets.get(code) ?? stored(keyOf(code));

// A token from the server, another one in each room: by it a browser is counted once, and remains anonymous.
export const seatOf = (code: string): string | null => seats.get(code) ?? stored(seatKeyOf(code));

export function keepSecret(code: string, secret: string): void {
  secrets.set(code, secret);
  store(keyOf(code), secret);
}

export function keepSeat(code: string, seat: string): void {
  seats.set(code, seat);
  store(seatKeyOf(code), seat);
}

export function forget(code: string): void {
  secrets.delete(code);
  seats.delete(code);
  for (const key of [keyOf(code), seatKeyOf(code)]) store(key, null);
}
