"""The worked example of CONTRIBUTING.md: a component, and a page that shows it."""
