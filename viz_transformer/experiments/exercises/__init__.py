"""Exercises whose answers are checked by the model's own numbers, and solved by them."""
