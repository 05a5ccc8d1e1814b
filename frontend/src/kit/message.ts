// What Python sends to a view; component.py and notebook/notebook_view.py are the other end.

import type { Tensor } from "./codec.ts";
import type { Labels } from "./dom.ts";
import type { Parameter } from "./link.ts";
import type { Asked } from "./view_state.ts";

// What the views of a page are of, as saved files say it. A page may leave it out: then only its link says so.
export interface About {
  readonly version: string;
  readonly model?: string;
  readonly source?: string;
  readonly target?: string;
}

export interface Request<View> extends Asked<View> {
  readonly panel: string; // the name of the one that shows it, see src/panels.ts
  readonly labels: Labels | string; // or their name, where the page gets them once for all panels, see said.ts
  readonly language: string; // of the page, for voices and fonts
  readonly isFirst?: boolean; // the first that this session asks of the view; it may follow a session that is gone
  readonly about?: About; // what the page's views are of
  readonly parameters?: readonly Parameter[]; // of a link to this view, in a file
}

export type Packed = Pick<Tensor<Uint8Array>, "values">;
export type Message<View> = { readonly request: Request<View> } & (
  | { readonly content: Packed }
  // What a view shows at the places nearby: it turns to them without Python.
  | {
      readonly bar: string; // its key
      readonly at: string; // the place that was asked for
      readonly places: Readonly<Record<string, number>>;
      readonly bodies: readonly Packed[]; // equal ones once
    }
);
