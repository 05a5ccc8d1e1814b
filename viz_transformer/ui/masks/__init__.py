"""The room of the page "Masks"."""
