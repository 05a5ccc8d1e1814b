"""The modules of the page "Slips"."""
