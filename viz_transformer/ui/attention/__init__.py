"""The room of the page "Attention"."""
