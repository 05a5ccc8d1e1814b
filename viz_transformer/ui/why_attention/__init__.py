"""The modules of the page "Why attention"."""
