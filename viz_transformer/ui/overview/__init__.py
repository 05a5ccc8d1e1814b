"""The room of the page "Overview"."""
