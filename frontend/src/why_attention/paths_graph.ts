// What an output sees, and the way to it from an input. Nodes are numbers: level · n + position.

export interface Graph {
  readonly n: number;
  readonly levels: number;
  readonly below: readonly (readonly number[])[]; // node -> the nodes that it reads
}

export interface Seen {
  readonly distance: readonly (number | undefined)[]; // node -> connections to the output; undefined: not seen
  readonly above: readonly number[]; // node -> the next one on the way up
}

export interface Edge {
  readonly from: number; // the node below, or, in a recurrent layer, before
  readonly to: number;
}

// `flat`: [from level, from position, to level, to position], four numbers each.
export function edgesOf(n: number, flat: ArrayLike<number>): Edge[] {
  return Array.from({ length: flat.length / 4 }, (_, edge) => {
    const [fromLevel, from, toLevel, to] = [0, 1, 2, 3].map((part) => flat[4 * edge + part]);
    return { from: fromLevel * n + from, to: toLevel * n + to };
  });
}

export function graphOf(n: number, levels: number, edges: readonly Edge[]): Graph {
  const below = Array.from({ length: (levels + 1) * n }, (): number[] => []);
  for (const { from, to } of edges) below[to].push(from);
  return { n, levels, below };
}

// Walks down from output `to`.
export function seenFrom({ n, levels, below }: Graph, to: number): Seen {
  const start = levels * n + to;
  const distance: number[] = [];
  const above: number[] = [];
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
export function pathFrom({ distance, above }: Seen, from: number): number[] {
  const length = distance[from];
  if (length === undefined) return [];
  const path = [from];
  while (path.length <= length) path.push(above[path[path.length - 1]]);
  return path;
}
