"""Shapes, parameters and operations of an encoder-decoder."""
