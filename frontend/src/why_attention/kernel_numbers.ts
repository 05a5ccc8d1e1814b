// @ts-nocheck
// Nadaraya-Watson, as experiments/kernel_regression.py has it.

// softmax over the keys of −(query − key)² / (2·width²)
export function weightsOf(query, keys, width) {
  const scores = keys.map((key) => -((query - key) ** 2) / (2 * width ** 2));
  const highest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - highest));
  const sum = exponentials.reduce((total, value) => total + value, 0);
  return exponentials.map((value) => value / sum);
}

export function estimate(weights, values) {
  return weights.reduce((total, weight, i) => total + weight * values[i], 0);
}
