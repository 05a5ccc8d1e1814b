// @ts-nocheck
// Views that go along with a bar of sliders. What they show at the places nearby came with their data (ahead.py), so
// they turn to it without Python.

import { mounting } from "./mount.ts";
import { reader } from "./reader.ts";

const MOVED = "viz-transformer-moved";
const placeOf = new Map(); // key of a bar -> where its sliders are, as text
document.addEventListener(MOVED, ({ detail }) => placeOf.set(detail.bar, detail.place));

// Tells the views of a bar where it is -> how many there are, and how many of them have to wait for Python.
export function announce(bar, places) {
  const detail = { bar, place: places.join(), views: 0, waiting: 0 };
  document.dispatchEvent(new CustomEvent(MOVED, { detail })); // every view has answered when this returns
  return detail;
}

// `Panel`, `decode`: as for `mounting`. Data without a bar is shown as it is.
export function following(Panel, decode) {
  class Follower {
    constructor(parent, lastViews) {
      this.panel = new Panel(parent, lastViews);
      this.listen = ({ detail }) => this.follow(detail);
      document.addEventListener(MOVED, this.listen);
    }

    show(sent, commit) {
      Object.assign(this, { sent, commit });
      const place = placeOf.get(sent.bar) ?? sent.at;
      const isThere = place === this.place; // and this is the answer to an earlier place
      if (!this.goTo(place) && !isThere) this.goTo(sent.at);
    }

    follow(detail) {
      if (detail.bar !== this.sent?.bar) return;
      detail.views += 1;
      if (detail.place !== this.place && !this.goTo(detail.place)) detail.waiting += 1;
    }

    goTo(place) {
      const bytes = this.sent.bytesAt(place);
      if (!bytes) return false;
      this.place = place;
      this.panel.show(decode(bytes), this.commit);
      return true;
    }

    remove() {
      document.removeEventListener(MOVED, this.listen);
      this.panel.remove();
    }
  }
  return mounting(Follower, readPlaces);
}

function readPlaces(bytes) {
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
