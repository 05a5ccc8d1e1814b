// What ui/architecture/view.py sends, and what is chosen in the figure.

export interface ArchitectureView {
  readonly box: string;
  readonly layer: number;
  readonly tensor: string | null; // the stage of the chosen one; null: the box's main one
}

export interface Figure {
  readonly boxes: readonly Box[]; // in the order of the computation
  readonly stacks: Readonly<Record<string, number>>; // stack -> its layers
  readonly inputs: string;
  readonly outputs: string;
  readonly result: string;
}

export interface Box {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly size: string; // of its output
  readonly page: string;
  readonly main: string; // the stage of the tensor that it opens with
  readonly layers: readonly { readonly href: string; readonly tensors: readonly BoxTensor[] }[];
}

export interface BoxTensor {
  readonly name: string;
  readonly stage: string;
  readonly letters: string;
  readonly shape: string;
}
