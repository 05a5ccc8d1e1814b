"""What a scene of a lecture asks, as numbers."""
