"""Compositions over time: a revision of each state that one was in, and which of them a composite resource uses."""
