"""The modules of the page "Attention"."""
