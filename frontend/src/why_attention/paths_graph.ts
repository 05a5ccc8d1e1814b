// @ts-nocheck
// What an output sees, and the way to it from an input. Nodes are numbers: level · n + position.

// `edges`: [from level, from position, to level, to position], four numbers each.
export function graphOf({ n, levels, edges }) {
  const below = Array.from({ length: (levels + 1) * n }, () => []);
  for (const [fromLevel, from, toLevel, to] of edges) below[toLevel * n + to].push(fromLevel * n + from);
  return { n, levels, below };
}

// Walks down from output `to`: every node's distance in connections (undefined: not seen), and its way back up.
export function seenFrom({ n, levels, below }, to) {
  const start = levels * n + to;
  const distance = [];
  const above = [];
  distance[start] = 0;
  const queue = [start];
  for (const node of queue) {
    for (const next of below[node]) {
      if (distance[next] !== undefined) continue;
      distance[next] = distance[node] + 1;
      above[next] = node;
      queue.push(next);
    }
  }
  return { distance, above };
}

// The nodes from input `from` up to the output; empty where there is no way.
export function pathFrom({ distance, above }, from) {
  if (distance[from] === undefined) return [];
  const path = [from];
  while (distance[path.at(-1)] > 0) path.push(above[path.at(-1)]);
  return path;
}
