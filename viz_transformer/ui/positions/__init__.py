"""The room of the page "Positions"."""
