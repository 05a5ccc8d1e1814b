"""The room of the page Exercises."""
