"""What positional encodings do."""
