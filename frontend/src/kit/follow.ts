// Views that go along with a bar of sliders. What they show at the places nearby came with their data (ahead.py), so
// they turn to it without Python.

import { listen, type Move, placeOf } from "./bar.ts";
import type { StreamlitComponent } from "./component.ts";
import { mounting, type OldPanel, type PanelClass, type Send } from "./mount.ts";
import { reader } from "./reader.ts";
import type { LastViews } from "./settled.ts";

interface Sent {
  readonly bar?: string;
  readonly at: string;
  bytesAt(place: string): Uint8Array | null;
}

// `Panel`, `decode`: as for `mounting`. Data without a bar is shown as it is.
export function following<Decoded>(
  Panel: PanelClass<Decoded>,
  decode: (bytes: Uint8Array) => Decoded,
): StreamlitComponent {
  class Follower implements OldPanel<Sent> {
    private readonly panel: OldPanel<Decoded>;
    private readonly stopListening: () => void;
    private sent: Sent | null = null;
    private commit: Send = () => {};
    private place: string | null = null;

    constructor(parent: HTMLElement, lastViews: LastViews<unknown>) {
      this.panel = new Panel(parent, lastViews);
      this.stopListening = listen((move) => this.follow(move));
    }

    show(sent: Sent, commit: Send): void {
      this.sent = sent;
      this.commit = commit;
      const place = (sent.bar && placeOf(sent.bar)) ?? sent.at;
      const isThere = place === this.place; // and this is the answer to an earlier place
      if (!this.goTo(place) && !isThere) this.goTo(sent.at);
    }

    private follow(move: Move): void {
      if (move.bar !== this.sent?.bar) return;
      move.views += 1;
      if (move.place !== this.place && !this.goTo(move.place)) move.waiting += 1;
    }

    private goTo(place: string): boolean {
      const bytes = this.sent?.bytesAt(place);
      if (!bytes) return false;
      this.place = place;
      this.panel.show(decode(bytes), this.commit);
      return true;
    }

    remove(): void {
      this.stopListening();
      this.panel.remove();
    }
  }
  return mounting(Follower, readPlaces);
}

function readPlaces(bytes: Uint8Array): Sent {
  if (bytes.length < 4 || bytes.subarray(0, 4).some(Boolean)) return { at: "", bytesAt: () => bytes };
  const { readJson, readArray } = reader(bytes.subarray(4));
  const header = readJson();
  const head = readArray(Uint8Array, header.head);
  const bodies = readArray(Uint8Array);
  return {
    ...header,
    bytesAt(place) {
      if (!Object.hasOwn(header.places, place)) return null;
      const [start, length] = header.places[place];
      const whole = new Uint8Array(head.length + length);
      whole.set(head);
      whole.set(bodies.subarray(start, start + length), head.length);
      return whole;
    },
  };
}
