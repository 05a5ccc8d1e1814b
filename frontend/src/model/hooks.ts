// Named points in the forward pass: what stands there can be recorded or replaced.
//
// The names are those of hooks.py, such as `encoder_layers.0.self_attention.scores`.

import type { Tensor, Values } from "./tensor.ts";

// What a hook returns replaces the tensor; null leaves it as it is.
export type Hook = (name: string, tensor: Tensor) => Tensor | null;

// What the layers call at each point: gets its name and tensor, and gives what goes on.
export type See = <A extends Values>(name: string, tensor: Tensor<A>) => Tensor<A>;

export const seeNothing: See = (_name, tensor) => tensor;

// Runs the hooks in this order. Interventions stand before a recorder, so that what is recorded is what the model went on
// with.
export function seeing(hooks: readonly Hook[]): See {
  if (!hooks.length) return seeNothing;
  return <A extends Values>(name: string, tensor: Tensor<A>) =>
    hooks.reduce((seen, hook) => (hook(name, seen) as Tensor<A> | null) ?? seen, tensor);
}

export function recorder(points: Map<string, Tensor>): Hook {
  return (name, tensor) => {
    points.set(name, tensor);
    return null;
  };
}
