"""The modules of the page "Heads"."""
