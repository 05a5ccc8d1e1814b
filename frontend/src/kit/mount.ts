// Streamlit calls a component's function again for every new data and every change of theme.

import type { StreamlitComponent } from "./component.ts";
import type { LastViews } from "./settled.ts";

export type Send = (view: unknown) => void;

export interface OldPanel<Decoded> {
  show(decoded: Decoded, commit: Send): void;
  remove(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: what was on screen, of any component
export type PanelClass<Decoded> = new (parent: HTMLElement, lastViews: LastViews<any>) => OldPanel<Decoded>;

export function mounting<Decoded>(
  Panel: PanelClass<Decoded>,
  decode: (bytes: Uint8Array) => Decoded,
): StreamlitComponent {
  const panels = new WeakMap<HTMLElement, OldPanel<Decoded>>();
  const owners = new WeakMap<OldPanel<Decoded>, symbol>();
  const lastViews = new Map(); // component key -> {revision, view}: what was on screen, should Streamlit mount it anew

  return ({ parentElement, data, setStateValue }) => {
    const panel = panels.get(parentElement) ?? new Panel(parentElement, lastViews);
    panels.set(parentElement, panel);
    // The cleanup of a call that a later one has overtaken may still run: only the newest owner may remove the panel.
    const owner = Symbol("call");
    owners.set(panel, owner);
    panel.show(decode(data), (view) => setStateValue("view", view));
    return () => {
      if (owners.get(panel) !== owner) return;
      panel.remove();
      panels.delete(parentElement);
    };
  };
}
