"""The modules of the page "Decoding"."""
