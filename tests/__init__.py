"""The tests mirror the package: `test_attention.py` is about `attention.py`. `helpers.py` holds what they share."""
