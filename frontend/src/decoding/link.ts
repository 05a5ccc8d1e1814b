// @ts-nocheck
// The view in the link, written by the browser itself, so that stepping and scrubbing send nothing to the server.

export function keepInLink({ layer, head, step, node, module, pinned, rerank, zoom }, search) {
  const url = new URL(location.href);
  const isLast = step === search.levels.length - 1;
  const isBest = String(node) === String(search.best);
  const values = {
    layer: layer + 1,
    head: head + 1,
    step: isLast ? null : step + 1,
    node: isBest ? null : `${node[0] + 1}-${node[1] + 1}`,
    module: pinned ? module : null,
    cell: pinned ? `${pinned[0] + 1}-${pinned[1] + 1}` : null,
    rerank: rerank === null || rerank === search.alpha ? null : rerank,
    zoom: zoom === null ? null : zoom + 1,
  };
  for (const [name, value] of Object.entries(values)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}
