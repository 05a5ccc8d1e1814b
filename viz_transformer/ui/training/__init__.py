"""The room of the page "Training"."""
