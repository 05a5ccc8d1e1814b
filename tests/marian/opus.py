"""Marian models as `transformers` saves them: of OPUS's shape and of another, random, with tokenizers trained here."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

from viz_transformer.resources import resource

PREFIXES = (">>cmn_Hans<<", ">>yue<<")
# What the configs of OPUS-MT say besides, and `transformers` does not read.
OPUS_SAYS = {
    "normalize_before": False, "normalize_embedding": False, "add_final_layer_norm": False, "add_bias_logits": False,
    "static_position_embeddings": True, "classif_dropout": 0.0, "num_hidden_layers": 2,
}  # fmt: skip


ODD = [
    "  two  spaces ", "tab\tand\nline", "ﬁsh aﬁsh ½ ² Ⅻ ①", "e\u0301te\u0301 été", "Ａ ｆｕｌｌ-width\u3000space",
    "</s>", "a</s>b <pad>", "<unk> <s>", "😀 a😀b 👩‍👩‍👧", "₤€§¶", "日本語のテキスト", "ไทย", "مرحبا", "…",
    "zero\u200bwidth", "\u00a0", "»«„“", "x" * 300, "1234567890", "▁ ▁▁a", "\x00nul", "\ufeffbom", "!?!?", "𝔘𝔫𝔦",
    "繁體中文字", "a\u0300\u0301\u0302", "ﷺ",
]  # fmt: skip


@cache
def pairs() -> tuple[tuple[str, str], ...]:
    """English and Chinese sentences, some 1,300 of each."""
    lines = resource("assets/data/phrasebook.zh-en.tsv").read_text(encoding="utf-8").splitlines()[:1300]
    lines += resource("assets/data/everyday.zh-en.tsv").read_text(encoding="utf-8").splitlines()
    return tuple((english, chinese) for chinese, english, *_ in (line.split("\t") for line in lines))


@cache
def trained_spm(side: int, **options: Any) -> bytes:
    """A SentencePiece model of half of the sentences, so that the others have what it does not know."""
    file = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([pair[side] for pair in pairs()[::2]]),
        model_writer=file,
        vocab_size=(300, 700)[side],
        hard_vocab_limit=False,
        character_coverage=0.98,
        minloglevel=2,
        **options,
    )
    return file.getvalue()


def pieces_of(*models: bytes) -> list[str]:
    """The pieces of the models, without those that are no text."""
    found: set[str] = set()
    for model in models:
        spm = sentencepiece.SentencePieceProcessor(model_proto=model)
        found |= {
            spm.id_to_piece(n) for n in range(spm.get_piece_size()) if not spm.is_control(n) and not spm.is_unknown(n)
        }
    return sorted(found)


def write_tokenizer(
    folder: Path, *, is_joint: bool = True, prefixes: tuple[str, ...] = (), pad_first: bool = False
) -> None:
    """The files of a MarianTokenizer: OPUS has one vocabulary, `</s>` and `<unk>` first, `<pad>` last."""
    folder.mkdir(parents=True, exist_ok=True)
    source, target = trained_spm(0), trained_spm(1)
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    sides = [pieces_of(source, target)] if is_joint else [pieces_of(source), pieces_of(target)]
    for name, pieces in zip(("vocab.json", "target_vocab.json"), sides, strict=False):
        listed = ["</s>", "<unk>", *pieces, *prefixes, "<pad>"]
        if pad_first:
            listed = ["<pad>", "<unk>", "</s>", *pieces]
        vocab = {piece: token_id for token_id, piece in enumerate(listed)}
        (folder / name).write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
    settings = {"source_lang": "en", "target_lang": "zh", "separate_vocabs": not is_joint, "model_max_length": 512}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def their_tokenizer(folder: Path) -> MarianTokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sacremoses is not installed, which it asks for and does not use
        return MarianTokenizer.from_pretrained(folder)


def size_of_vocab(folder: Path, name: str = "vocab.json") -> int:
    return len(json.loads((folder / name).read_text(encoding="utf-8")))


def opus(folder: Path, seed: int = 0, *, prefixes: tuple[str, ...] = (), **changes: Any) -> MarianMTModel:
    """A model with the options of OPUS-MT, and its tokenizers, saved in a folder; small and random."""
    write_tokenizer(folder, prefixes=prefixes)
    size = size_of_vocab(folder)
    values = {
        "vocab_size": size, "decoder_vocab_size": size, "max_position_embeddings": 48, "d_model": 32,
        "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "activation_function": "swish", "scale_embedding": True,
        "dropout": 0.1, "pad_token_id": size - 1, "decoder_start_token_id": size - 1, "bos_token_id": 0,
        "eos_token_id": 0, "forced_eos_token_id": 0, "share_encoder_decoder_embeddings": True, **OPUS_SAYS,
    }  # fmt: skip
    return saved(folder, MarianConfig(**{**values, **changes}), seed)


def different(folder: Path, seed: int = 0, **changes: Any) -> MarianMTModel:
    """A model in which every option differs from OPUS's."""
    write_tokenizer(folder, is_joint=False, pad_first=True)
    values = {
        "vocab_size": size_of_vocab(folder), "decoder_vocab_size": size_of_vocab(folder, "target_vocab.json"),
        "max_position_embeddings": 64, "d_model": 24, "encoder_layers": 1, "decoder_layers": 3,
        "encoder_attention_heads": 2, "decoder_attention_heads": 6, "encoder_ffn_dim": 40, "decoder_ffn_dim": 72,
        "activation_function": "gelu", "scale_embedding": False, "dropout": 0.2, "attention_dropout": 0.1,
        "pad_token_id": 0, "decoder_start_token_id": 5, "bos_token_id": 5, "eos_token_id": 2,
        "forced_eos_token_id": None, "share_encoder_decoder_embeddings": False,
    }  # fmt: skip
    return saved(folder, MarianConfig(**{**values, **changes}), seed)


def saved(folder: Path, config: MarianConfig, seed: int) -> MarianMTModel:
    """A random model whose outputs vary, repeat little and often end, in eval mode, saved."""
    end = config.eos_token_id
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        model = MarianMTModel(config).eval()
        for name, parameter in model.named_parameters():
            if "embed_positions" in name:
                continue
            if name.endswith(("shared.weight", "embed_tokens.weight", "lm_head.weight")):
                parameter.normal_(std=0.4 if config.scale_embedding else 0.6)
                parameter[end] *= 2  # its logit swings wider, so that it is sometimes the best
            else:
                # A strong feed-forward, so that the next token is not always the last one again (tied embeddings).
                parameter.normal_(std=0.8 if ".fc" in name else 0.15)
                if name.endswith("norm.weight"):
                    parameter.add_(1)
        # What all outputs have in common would make one token the favourite everywhere: take it out.
        n_source, n_target = config.vocab_size, config.decoder_vocab_size
        sources, targets = torch.randint(3, n_source - 1, (64, 6)), torch.randint(3, n_target - 1, (64, 8))
        hidden = model.model(input_ids=sources, decoder_input_ids=targets).last_hidden_state
        model.model.decoder.layers[-1].final_layer_norm.bias -= hidden.mean((0, 1))
        model.final_logits_bias.normal_(std=0.5)
        model.final_logits_bias[0, end] += 3
    model.save_pretrained(folder)
    return model


def batch(model: MarianMTModel, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Sources (3, 9) of 9, 5 and 2 tokens, padded, and targets (3, 7) of 7, 7 and 4, the start token first."""
    config: Any = model.config
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sources = torch.randint(3, config.vocab_size - 1, (3, 9))
        targets = torch.randint(3, config.decoder_vocab_size - 1, (3, 7))
    for row, length in enumerate((9, 5, 2)):
        sources[row, length - 1] = config.eos_token_id
        sources[row, length:] = config.pad_token_id
    targets[:, 0] = config.decoder_start_token_id
    targets[2, 4:] = config.pad_token_id
    return sources, targets


def sentences(side: int, count: int = 1000) -> Iterator[str]:
    """Real ones, and made ones: strange signs, spaces, scripts, tokens typed."""
    lines = [pair[side] for pair in pairs()]
    yield from ODD
    for n in range(count - len(ODD)):
        line = lines[n % len(lines)]
        yield f"{line} {ODD[n % len(ODD)]}" if n % 9 == 0 else line
