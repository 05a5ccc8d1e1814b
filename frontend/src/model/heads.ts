// Names for attention: the three modules of the paper (§3.2.3), their layers and their heads.

import type { TransformerConfig } from "./config.ts";
import { brief, SentenceError } from "./sentences.ts";

export const ATTENTION_MODULES = ["encoder_self", "decoder_self", "cross"] as const;
export type AttentionModule = (typeof ATTENTION_MODULES)[number];
export type HeadRef = readonly [module: AttentionModule, layer: number, head: number];

// Where the points of one attention module are.
export function hookPath(module: AttentionModule, layer: number): string {
  const stack = module === "encoder_self" ? "encoder_layers" : "decoder_layers";
  return `${stack}.${layer}.${module === "cross" ? "cross_attention" : "self_attention"}`;
}

// The module of a point's name, and the stage; null where it is not inside an attention module.
export function parseHookPath(name: string): { module: AttentionModule; stage: string } | null {
  const [, stack, kind, stage] = /^(encoder|decoder)_layers\.\d+\.(self|cross)_attention\.(\w+)$/.exec(name) ?? [];
  if (!stage) return null;
  if (stack === "encoder") return { module: "encoder_self", stage };
  return { module: kind === "cross" ? "cross" : "decoder_self", stage };
}

// The config of the module's stack: its `n_heads` and `d_k` are the module's.
export function stackOf(config: TransformerConfig, module: AttentionModule): TransformerConfig {
  return module === "encoder_self" ? config : config.decoder;
}

// How many layers have this module; none in a model of feed-forward layers alone.
export function layersOf(config: TransformerConfig, module: AttentionModule): number {
  if (!config.hasAttention) return 0;
  return module === "encoder_self" ? config.n_encoder_layers : config.n_decoder_layers;
}

export function checkHead(head: HeadRef, config: TransformerConfig): void {
  const [module, layer, number] = head;
  if (!ATTENTION_MODULES.includes(module)) {
    throw new SentenceError("The attention module must be one of {allowed}; it was {module}.", {
      allowed: ATTENTION_MODULES.join(", "),
      module: brief(module),
    });
  }
  if (!config.hasAttention) {
    throw new SentenceError("This model has no attention: its layers are feed-forward only.");
  }
  const nLayers = layersOf(config, module);
  if (!isPlace(layer, nLayers)) {
    throw new SentenceError("{module} attention has layers 0 to {last}; there is no layer {layer}.", {
      module,
      last: nLayers - 1,
      layer: brief(layer),
    });
  }
  const nHeads = stackOf(config, module).n_heads;
  if (!isPlace(number, nHeads)) {
    throw new SentenceError("This model has heads 0 to {last}; there is no head {head}.", {
      last: nHeads - 1,
      head: brief(number),
    });
  }
}

function isPlace(value: unknown, count: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < count;
}
