"""Imports Marian models of Hugging Face, such as OPUS-MT: reads their files, refuses what does not fit, converts."""
