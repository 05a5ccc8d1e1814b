"""Why attention: placeholder."""
