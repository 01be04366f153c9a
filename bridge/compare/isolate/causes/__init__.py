"""Candidate causes of a divergence, each tested by running a module again."""
