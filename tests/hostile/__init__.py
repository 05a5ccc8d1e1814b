"""What an attacker would try: texts, links, and forged messages of a browser.

Samples are among the tests; `python -m tests.hostile` tries all of it, and writes what it saw into docs/reliability.md.
"""
