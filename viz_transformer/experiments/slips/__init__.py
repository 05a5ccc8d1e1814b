"""Mistakes that people make when they write a Transformer, measured beside what is right."""
