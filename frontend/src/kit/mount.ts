// @ts-nocheck
// Streamlit calls a component's function again for every new data and every change of theme.

// `Panel`: new Panel(parentElement, lastViews) with show(decoded, commit) and remove().
export function mounting(Panel, decode) {
  const panels = new WeakMap(); // parentElement -> Panel
  const lastViews = new Map(); // component key -> {revision, view}: what was on screen, should Streamlit mount it anew

  return ({ parentElement, data, setStateValue }) => {
    let panel = panels.get(parentElement);
    if (!panel) {
      panel = new Panel(parentElement, lastViews);
      panels.set(parentElement, panel);
    }
    // The cleanup of a call that a later one has overtaken may still run: only the newest owner may remove the panel.
    const owner = (panel.owner = Symbol("call"));
    panel.show(decode(data), (view) => setStateValue("view", view));
    return () => {
      if (panel.owner !== owner) return;
      panel.remove();
      panels.delete(parentElement);
    };
  };
}
