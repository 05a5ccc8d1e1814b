"""The modules of the page "Scaling"."""
