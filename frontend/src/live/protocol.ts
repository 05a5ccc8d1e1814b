// What the page of a live file asks its worker besides what model/protocol.ts has, and what it is told.

import type { Intervention } from "../model/interventions.ts";
import type { Archive } from "./archive.ts";
import type { Asked, Kind } from "./contents.ts";

export type LiveRequest =
  | { readonly id: number; readonly kind: "open"; readonly archive: Archive }
  | ({
      readonly id: number;
      readonly kind: "show";
      readonly what: Kind;
      readonly text: string;
      readonly target: string | null; // null: the model's own greedy output
      readonly interventions: readonly Intervention[];
      readonly isNew: boolean; // whether the view on the screen is of another text
    } & Asked);

export type LiveReply =
  | { readonly id: number; readonly kind: "unpacked" } // the archive of a model
  | {
      readonly id: number;
      readonly kind: "shown";
      readonly content: Uint8Array<ArrayBuffer>;
      readonly view: object;
      readonly text: string; // of the output
      readonly read: string; // the source as it was read
    };
