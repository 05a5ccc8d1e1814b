"""The modules of the page "Positions"."""
