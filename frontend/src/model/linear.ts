// x Wᵀ + b, with W [m, k] as PyTorch stores it.

import type { Floats } from "./tensor.ts";
import type { Parameters } from "./weights.ts";

export class Linear {
  readonly #parameters: Parameters;
  readonly #weight: Floats;
  readonly #bias: Floats | null;

  // `weight` is the name of a matrix that another part has, too.
  constructor(parameters: Parameters, path: string, weight = `${path}.weight`) {
    this.#parameters = parameters;
    this.#weight = parameter(parameters, weight);
    this.#bias = parameters.byName.get(`${path}.bias`) ?? null;
  }

  // [..., k] -> [..., m]
  forward(x: Floats): Floats {
    const [m, k] = this.#weight.shape;
    const n = x.values.length / k;
    const values = this.#parameters.weights.product(x.values, this.#weight.values, n, k, m);
    if (this.#bias) {
      const bias = this.#bias.values;
      for (let start = 0; start < values.length; start += m) for (let j = 0; j < m; j++) values[start + j] += bias[j];
    }
    return { shape: [...x.shape.slice(0, -1), m], values };
  }
}

export function parameter({ byName }: Parameters, name: string): Floats {
  const found = byName.get(name);
  if (!found) throw new Error(`There is no parameter ${name}.`);
  return found;
}
