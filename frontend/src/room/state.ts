// What a room says of its lecturer's page.

export type Mode = "follow" | "pause" | "free";

// What a lecturer asks of a room, in the order in which it is shown.
export const RULES = ["closed", "here", "read"] as const;
export type Rule = (typeof RULES)[number];
export type Rules = Readonly<Record<Rule, boolean>>;

export interface Lead {
  readonly address?: string;
  readonly views?: Readonly<Record<string, object>>; // by component key: those that moved since the address was said
  readonly run?: boolean; // whether only a run shows what is at the address
}

export interface State extends Required<Lead> {
  readonly seq: number;
  readonly mode: Mode;
}
