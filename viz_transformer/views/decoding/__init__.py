"""The view of a search: what it is, how it grows, what is sent of it."""
