"""The modules of the page "Training"."""
