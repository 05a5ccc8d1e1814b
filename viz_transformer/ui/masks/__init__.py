"""The modules of the page "Masks"."""
