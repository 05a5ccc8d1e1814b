import assert from "node:assert/strict";
import { test } from "node:test";
import { edgesOf, graphOf, pathFrom, seenFrom } from "../../src/why_attention/paths_graph.ts";

// -> the distances between all pairs of nodes, by Floyd–Warshall: independent of the app's search from an output.
function allDistances(count: number, edges: readonly { from: number; to: number }[]): number[][] {
  const far = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count }, (_, j) => (i === j ? 0 : Infinity)),
  );
  for (const { from, to } of edges) far[from][to] = 1;
  for (let k = 0; k < count; k++)
    for (let i = 0; i < count; i++)
      for (let j = 0; j < count; j++) far[i][j] = Math.min(far[i][j], far[i][k] + far[k][j]);
  return far;
}

// A convolution over three positions in `levels` layers, and a recurrent layer: four numbers an edge.
function convolution(n: number, levels: number): number[] {
  const flat: number[] = [];
  for (let level = 0; level < levels; level++)
    for (let to = 0; to < n; to++)
      for (let from = Math.max(0, to - 2); from <= to; from++) flat.push(level, from, level + 1, to);
  return flat;
}

function recurrent(n: number): number[] {
  return Array.from({ length: n }, (_, to) => [0, to, 1, to, ...(to ? [1, to - 1, 1, to] : [])]).flat();
}

for (const [name, n, levels, flat] of [
  ["convolution", 7, 2, convolution(7, 2)],
  ["deep convolution", 9, 4, convolution(9, 4)],
  ["recurrent", 6, 1, recurrent(6)],
  ["one position", 1, 1, [0, 0, 1, 0]],
] as const) {
  test(`${name}: what an output sees, and the shortest ways there`, () => {
    const edges = edgesOf(n, Uint16Array.from(flat));
    assert.equal(edges.length, flat.length / 4);
    const far = allDistances((levels + 1) * n, edges);
    const connected = new Set(edges.map(({ from, to }) => `${from}>${to}`));
    for (let output = 0; output < n; output++) {
      const end = levels * n + output;
      const seen = seenFrom(graphOf(n, levels, edges), output);
      for (let node = 0; node < (levels + 1) * n; node++) {
        assert.equal(seen.distance[node] ?? Infinity, far[node][end], `${node} to output ${output}`);
      }
      for (let input = 0; input < n; input++) {
        const path = pathFrom(seen, input);
        if (far[input][end] === Infinity) {
          assert.deepEqual(path, []);
          continue;
        }
        assert.deepEqual([path[0], path.at(-1), path.length - 1], [input, end, far[input][end]]);
        for (let step = 1; step < path.length; step++) assert.ok(connected.has(`${path[step - 1]}>${path[step]}`));
      }
    }
  });
}
