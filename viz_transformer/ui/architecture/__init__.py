"""The modules of the page "Architecture"."""
