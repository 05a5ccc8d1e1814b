"""The modules of the page "Overview"."""
