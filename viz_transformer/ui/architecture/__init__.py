"""The room of the page "Architecture"."""
