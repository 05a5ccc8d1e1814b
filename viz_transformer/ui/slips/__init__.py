"""The room of the page "Slips"."""
