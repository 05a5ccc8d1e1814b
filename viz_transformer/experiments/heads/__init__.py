"""What heads contribute to the output."""
