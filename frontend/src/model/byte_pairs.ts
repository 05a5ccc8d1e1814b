// Byte-pair encoding (Sennrich et al. 2016): a word begins as its characters, and pairs of neighbours are merged, the pair
// that training merged first before all others.

export interface Merge {
  readonly rank: number; // which merge of training it was
  readonly id: number; // of what the pair becomes
}

export interface Piece {
  readonly id: number;
  readonly start: number;
  readonly end: number; // exclusive
}

// A pair of neighbours that waits to be merged.
interface Pair extends Merge {
  readonly place: number; // of the left one
}

// One piece while pairs are merged: a node of a list.
interface Node {
  id: number;
  readonly start: number;
  end: number;
  before: number;
  after: number;
  isMerged: boolean; // into the one before it
}

export class BytePairs {
  readonly #vocab: ReadonlyMap<string, number>;
  readonly #merges: ReadonlyMap<string, Merge>;
  readonly #unknownId: number;

  constructor(vocab: ReadonlyMap<string, number>, merges: readonly (readonly [string, string])[], unknownId: number) {
    const idOf = (piece: string) => vocab.get(piece) as number;
    this.#vocab = vocab;
    this.#merges = new Map(
      merges.map(([left, right], rank) => [pairKey(idOf(left), idOf(right)), { rank, id: idOf(left + right) }]),
    );
    this.#unknownId = unknownId;
  }

  // The pieces of one word, given as its characters. A character that the vocabulary lacks is unknown, and merges with
  // none.
  encode(word: readonly string[]): Piece[] {
    const nodes: Node[] = word.map((sign, n) => ({
      id: this.#vocab.get(sign) ?? this.#unknownId,
      start: n,
      end: n + 1,
      before: n - 1,
      after: n + 1,
      isMerged: false,
    }));
    const waiting = new Queue();
    for (let place = 0; place + 1 < nodes.length; place++) this.#consider(nodes, place, waiting);

    for (let pair = waiting.take(); pair; pair = waiting.take()) {
      const left = nodes[pair.place];
      const right = nodes[left.after];
      // Either may have been merged with another since.
      if (left.isMerged || !right || this.#merges.get(pairKey(left.id, right.id))?.id !== pair.id) continue;
      left.id = pair.id;
      left.end = right.end;
      left.after = right.after;
      right.isMerged = true;
      if (right.after < nodes.length) nodes[right.after].before = pair.place;
      this.#consider(nodes, left.before, waiting);
      this.#consider(nodes, pair.place, waiting);
    }
    return nodes.filter(({ isMerged }) => !isMerged);
  }

  #consider(nodes: readonly Node[], place: number, waiting: Queue): void {
    const [left, right] = [nodes[place], nodes[nodes[place]?.after]];
    const merge = left && right && this.#merges.get(pairKey(left.id, right.id));
    if (merge) waiting.add({ ...merge, place });
  }
}

function pairKey(left: number, right: number): string {
  return `${left} ${right}`;
}

// Pairs, of which the one with the lowest rank is taken first, of equal ones the leftmost: a binary heap, so that a word
// of twenty thousand letters takes no minutes.
class Queue {
  readonly #pairs: Pair[] = [];

  add(pair: Pair): void {
    const pairs = this.#pairs;
    let at = pairs.push(pair) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(pair, pairs[parent])) break;
      pairs[at] = pairs[parent];
      at = parent;
    }
    pairs[at] = pair;
  }

  take(): Pair | undefined {
    const pairs = this.#pairs;
    const first = pairs[0];
    const last = pairs.pop();
    if (!last || !pairs.length) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < pairs.length && isBefore(pairs[child + 1], pairs[child])) child++;
      if (child >= pairs.length || !isBefore(pairs[child], last)) break;
      pairs[at] = pairs[child];
      at = child;
    }
    pairs[at] = last;
    return first;
  }
}

function isBefore(one: Pair, other: Pair): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.place < other.place);
}
