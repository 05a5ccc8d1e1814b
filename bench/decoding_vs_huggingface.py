"""Decoding speed on the CPU, the same weights in three programs: ours, Hugging Face `generate`, CTranslate2.

    python -m bench.decoding_vs_huggingface [--repeats 5] [--write]

- "all that the page shows": the search with every candidate of every step; greedy's path, searched for where the beam
  leaves it; what has finished, ranked by every length penalty of the slider; the recorded pass over the best
  hypothesis; the cost of the cache; all of it packed for the browser. Nothing is taken from a cache of results. The
  page's tables of teacher forcing decode once more for the sake of comparison; they are left out.
- "search only": the search of the package, with every candidate.
- Hugging Face: `generate` with `output_attentions` and `output_scores`. It keeps what it records, and packs nothing.
  Its beam takes the same candidates and stops at the same step; it ranks what has finished by the mean, where the page
  divides by GNMT's length penalty, so that another of the same outputs may win.
- CTranslate2 float32 records nothing.

One thread each. The programs take turns at every sentence, so that other work on the machine slows all of them; a ratio
is that of two neighbours in one repeat, and the median of the repeats counts. Times are CPU times, which do not grow
while others have the processor; the speed by the clock stands beside it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from transformers import MarianConfig, MarianMTModel

import viz_transformer as vt
from bench.report import Report, machine
from viz_transformer.decoding.ranking import BeamOptions
from viz_transformer.views.codec import pack
from viz_transformer.views.decoding.build_search_tree import grow_search
from viz_transformer.views.decoding.pack import pack_search, shown_content
from viz_transformer.views.decoding.tree import Search, Settings

PAD, START, END = 0, 1, 2
SENTENCES = (
    "你好,世界!",
    "我今天很高兴,因为天气很好。",
    "我们明天早上八点在火车站见面,不要迟到。",
    "他昨天晚上在图书馆看了三个小时的书。",
    "如果你有时间,请给我打电话。",
    "这家餐馆的菜很好吃,但是有点贵。",
    "我今天很高兴,因为天气很好,我们要去公园玩,然后一起吃饭,晚上再看电影。",
    "老师让学生们把书打开,然后一个一个地读课文。",
)


def to_marian(translator: vt.Translator) -> MarianMTModel:
    """Our weights in a Marian model of `transformers`, with our positions in its tables."""
    ours, config = translator.model, translator.model.config
    theirs = MarianMTModel(
        MarianConfig(
            vocab_size=config.source_vocab_size,
            decoder_vocab_size=config.target_vocab_size,
            share_encoder_decoder_embeddings=False,
            tie_word_embeddings=False,
            max_position_embeddings=config.max_len,
            d_model=config.d_model,
            encoder_layers=config.n_encoder_layers,
            decoder_layers=config.n_decoder_layers,
            encoder_attention_heads=config.n_heads,
            decoder_attention_heads=config.n_heads,
            encoder_ffn_dim=config.d_ff,
            decoder_ffn_dim=config.d_ff,
            activation_function=config.activation,
            scale_embedding=config.scale_embeddings,
            pad_token_id=PAD,
            bos_token_id=START,
            decoder_start_token_id=START,
            eos_token_id=END,
            forced_eos_token_id=None,
            attn_implementation="eager",  # the others give no attention weights
        )
    )
    theirs = theirs.eval().requires_grad_(False)
    names = {
        "encoder.embed_tokens": ours.source_embedding.tokens,
        "decoder.embed_tokens": ours.target_embedding.tokens,
    }
    for stack, layers in (("encoder", ours.encoder_layers), ("decoder", ours.decoder_layers)):
        for n, layer in enumerate(layers):
            at = f"{stack}.layers.{n}"
            names |= {
                f"{at}.{name}": part
                for name, part in (
                    ("self_attn", layer.self_attention),
                    ("self_attn_layer_norm", layer.add_self_attention.norm),
                    ("fc1", layer.feed_forward.w_1),
                    ("fc2", layer.feed_forward.w_2),
                    ("final_layer_norm", layer.add_feed_forward.norm),
                )
            }
            if stack == "decoder":
                names[f"{at}.encoder_attn"] = layer.cross_attention
                names[f"{at}.encoder_attn_layer_norm"] = layer.add_cross_attention.norm
    renamed = {"w_q": "q_proj", "w_k": "k_proj", "w_v": "v_proj", "w_o": "out_proj"}
    for name, part in names.items():
        state = part.state_dict().items()
        theirs.model.get_submodule(name).load_state_dict(
            {".".join(renamed.get(word, word) for word in key.split(".")): value for key, value in state}
        )
    theirs.model.encoder.embed_positions.weight.copy_(ours.source_embedding.positions.table)
    theirs.model.decoder.embed_positions.weight.copy_(ours.target_embedding.positions.table)
    theirs.lm_head.weight.copy_(ours.output_projection.weight)
    theirs.final_logits_bias.zero_()
    return theirs


def generate(model: MarianMTModel, source: list[int], k: int, max_len: int) -> list[int]:
    """Hugging Face's output with every attention recorded, cut after the end token."""
    result = model.generate(
        torch.tensor([source]),
        attention_mask=torch.ones(1, len(source), dtype=torch.long),
        num_beams=k,
        do_sample=False,
        early_stopping=k > 1,
        length_penalty=1.0,
        max_new_tokens=max_len - 1,  # its start token takes a position too
        suppress_tokens=[PAD, START],
        output_attentions=True,
        output_scores=True,
        return_dict_in_generate=True,
    )
    assert result.cross_attentions
    return upto_end(result.sequences[0, 1:].tolist())


def upto_end(ids: list[int]) -> list[int]:
    return ids[: ids.index(END) + 1] if END in ids else ids


def settings_of(k: int) -> Settings:
    return Settings().greedy() if k == 1 else Settings(beam=BeamOptions(k))


def finished(translator: vt.Translator, text: str, settings: Settings) -> Search:
    *_, search = grow_search(translator, text, settings)
    return search


def search_only(translator: vt.Translator, text: str, k: int) -> list[int]:
    *_, last = translator.beam_search(text, beam_size=k)
    return list(last.best.ids)


def shown_by_the_page(translator: vt.Translator, text: str, k: int) -> list[int]:
    settings = settings_of(k)
    search = finished(translator, text, settings)
    greedy = search.greedy_path() or finished(translator, text, settings.greedy()).greedy_path()
    assert greedy is not None
    n_source = len(translator.encode_source(text).ids) + 1
    trace = translator.trace_ids(text, search.best_ids)
    packed = pack_search(search, greedy, translator.target_tokenizer, translator.model.config, n_source)
    pack(shown_content(packed, trace, search.best, translator.target_tokenizer))
    return list(search.best_ids)


def to_ctranslate2(model: MarianMTModel, folder: str) -> Any:
    """The same weights in CTranslate2, float32; tokens are named by their ids."""
    import ctranslate2
    from ctranslate2.converters.transformers import BartLoader

    model.config.normalize_before = model.config.normalize_embedding = False
    spec = BartLoader().get_model_spec(model)
    spec.register_source_vocabulary([f"t{n}" for n in range(model.config.vocab_size)])
    spec.register_target_vocabulary([f"t{n}" for n in range(model.config.decoder_vocab_size)])
    spec.config.bos_token = spec.config.decoder_start_token = f"t{START}"
    spec.config.eos_token, spec.config.unk_token = f"t{END}", "t3"
    spec.validate()
    spec.optimize(quantization=None)
    spec.save(folder)
    return ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=1, intra_threads=1)


def translate_ctranslate2(program: Any, source: list[int], k: int, max_len: int) -> list[int]:
    (result,) = program.translate_batch(
        [[f"t{n}" for n in source]],
        beam_size=k,
        length_penalty=1.0,
        max_decoding_length=max_len - 1,
        suppress_sequences=[[f"t{PAD}"], [f"t{START}"]],
        return_end_token=True,
    )
    return [int(token[1:]) for token in result.hypotheses[0]]


def measure(
    programs: dict[str, Callable[[str, int], list[int]]], k: int, repeats: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Seconds of each program in each repeat, the processor's and the clock's."""
    seconds: dict[str, list[float]] = {name: [0.0] * repeats for name in programs}
    by_clock: dict[str, list[float]] = {name: [0.0] * repeats for name in programs}
    for repeat in range(repeats):
        for text in SENTENCES:
            for name, run in programs.items():
                started, on_clock = time.process_time(), time.perf_counter()
                run(text, k)
                seconds[name][repeat] += time.process_time() - started
                by_clock[name][repeat] += time.perf_counter() - on_clock
    return seconds, by_clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments, report = parser.parse_args(), Report()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    translator = vt.load("zh-en", "cpu")
    marian, max_len = to_marian(translator), translator.model.config.max_len
    sources = {text: [*translator.encode_source(text).ids, END] for text in SENTENCES}

    reference = "Hugging Face generate, attentions"
    programs: dict[str, Callable[[str, int], list[int]]] = {
        "ours, all that the page shows": lambda text, k: shown_by_the_page(translator, text, k),
        "ours, search only": lambda text, k: search_only(translator, text, k),
        reference: lambda text, k: generate(marian, sources[text], k, max_len),
    }
    folder = tempfile.TemporaryDirectory()
    try:
        fast = to_ctranslate2(marian, folder.name)
        programs["CTranslate2 float32"] = lambda text, k: translate_ctranslate2(fast, sources[text], k, max_len)
    except ImportError as error:
        print(f"CTranslate2 is left out: {error}")

    for k in (1, 4):
        if k != 1:
            report.say()
        columns = ("tokens a second", "ratio", "smallest to largest", "by the clock", "same outputs")
        report.head("greedy" if k == 1 else f"beam {k}", *columns)
        outputs = {name: [run(text, k) for text in SENTENCES] for name, run in programs.items()}  # and a warm-up
        counts = {name: sum(map(len, found)) for name, found in outputs.items()}
        seconds, by_clock = measure(programs, k, arguments.repeats)
        for name in programs:
            same = sum(a == b for a, b in zip(outputs[name], outputs[reference], strict=True))
            speed, on_clock = (counts[name] / median(times[name]) for times in (seconds, by_clock))
            ratios = [
                counts[name] / ours * theirs / counts[reference]
                for ours, theirs in zip(seconds[name], seconds[reference], strict=True)
            ]
            spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
            agree = f"{same} of {len(SENTENCES)}"
            report.row([name, f"{speed:.0f}", f"{median(ratios):.2f} ×", spread, f"{on_clock:.0f}", agree])
    folder.cleanup()
    if arguments.write:
        command = f"python -m bench.decoding_vs_huggingface --repeats {arguments.repeats}"
        fastest = ["ctranslate2"] if "CTranslate2 float32" in programs else []
        report.write("decoding_vs_huggingface", command, machine("torch", "transformers", *fastest))


if __name__ == "__main__":
    main()
