"""What decoding computes at each step."""
