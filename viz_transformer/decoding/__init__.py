"""Search: greedy, beam and sampling, as generators of everything that was considered."""
