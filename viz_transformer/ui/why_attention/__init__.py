"""The room of the page "Why attention"."""
