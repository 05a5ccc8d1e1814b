"""What heads contribute."""
