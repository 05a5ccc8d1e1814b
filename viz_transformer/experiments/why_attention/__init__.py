"""Attention beside recurrence and convolution, and as kernel regression."""
