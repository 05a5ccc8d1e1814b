"""The room of the page "Heads"."""
