"""The server around the pages: what it answers besides them, and what a browser may do.

It listens at once: torch is imported afterwards, in a thread (`loading`).
"""
