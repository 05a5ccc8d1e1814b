"""Why the scores are divided by √d_k."""
