// What the glance at all heads shows. Everything counts from 0.

export interface GlanceView {
  readonly module: string; // with layer and head: what is open, enlarged, if `is_open`
  readonly layer: number;
  readonly head: number;
  readonly only: string | null; // the only module shown
  readonly score: string | null; // that colours the heads
  readonly order: "place" | "score";
  readonly is_open: boolean;
  readonly pinned: readonly [query: number, key: number] | null; // in the open head
}
