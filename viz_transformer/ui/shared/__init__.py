"""What all pages share: models, controls, the link, readings, texts, the look."""
