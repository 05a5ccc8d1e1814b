"""Marian models of Hugging Face, such as OPUS-MT: their files read, what does not fit refused, and made ours."""
