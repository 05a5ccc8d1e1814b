"""Finds English words in Chinese texts, where only names may be English."""

from __future__ import annotations

import re

# Names, and what is written so in Chinese, too.
NAMES = set(
    re.findall(
        r"\S+",
        """
        Transformer softmax log exp tanh sin cos arg max min mean Var pos Sublayer LayerNorm Layer Batch FFN BLEU Adam
        relu gelu logit Dropout Rademacher Nadaraya Watson Bahdanau Abnar Zuidema nostalgebraist Enter Esc Home End Page
        Down Up Tab Ctrl BERT GPT
        PNG SVG CSV TSV JSON KiB MiB zip safetensors torch float True False model base big Top-k Top-p top-k top-p VIZ
        DEVICE CPU GPU cpu cuda mps copy reverse sort source target self encoder decoder cross V_source Norm
        Marian Hugging Face hub null Softmax zh-en en-de chr UTF JSONL GNMT jieba Tatoeba
        """,
    )
)
VERBATIM = re.compile(
    r"[（，][A-Za-z][A-Za-z -]*(?=[），])"  # the English term beside the Chinese one
    r"|`[^`]*`|```.*?```|\$\$.*?\$\$|\$[^$]*\$|<style>.*?</style>|<[^>]*>|&lt;\w+&gt;|\{[^}]*\}|\]\([^)]*\)"
    r"|Attention Is All You Need"
    r"|“[A-Za-z][^”]*”|(?<!\*)\*[A-Za-z][^*]*\*(?!\*)|√step\b"  # a text that is read or written in that language
    r"|\b\w+_\w+\b|\b[\w-]+\.(?:tsv|jsonl|py|json)\b"
    r"|\b\w+\.org(?:/\w+)?|--[a-z-]+|%\(\w+\)[sr]|\bOpenCC\b|\bpip install \S+|\b(?:nn|torch)\.[\w.]+|'model\.\w+'"
    r"|\bJavaScript\b|\bMarian\w+|\bSentencePiece\b|\bHelsinki-NLP/\S+|\btokenizer=|'pieces'",
    re.DOTALL,
)
IN_FORMULAS = re.compile(r"\\text\{([^}]*)\}")
WORD = re.compile(r"[A-Za-z][a-z'’-]{2,}|[A-Z]{3,}")


def english_in(text: str) -> set[str]:
    """The words of `text` that somebody who reads no English cannot read."""
    seen = [VERBATIM.sub(" ", text), *IN_FORMULAS.findall(text)]
    return {word for one in seen for word in WORD.findall(one)} - NAMES
