// Nadaraya-Watson, as experiments/why_attention/kernel_regression.py has it.

type Numbers = ArrayLike<number>;

// softmax over the keys of −(query − key)² / (2·width²)
export function weightsOf(query: number, keys: Numbers, width: number): number[] {
  const scores = Array.from(keys, (key) => -((query - key) ** 2) / (2 * width ** 2));
  const highest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - highest));
  const sum = exponentials.reduce((total, value) => total + value, 0);
  return exponentials.map((value) => value / sum);
}

export function estimate(weights: readonly number[], values: Numbers): number {
  return weights.reduce((total, weight, i) => total + weight * values[i], 0);
}
