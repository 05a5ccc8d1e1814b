"""The room of the page "Scaling"."""
