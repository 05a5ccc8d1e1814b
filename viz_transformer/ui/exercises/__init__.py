"""The modules of the page "Exercises"."""
