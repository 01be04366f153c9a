"""Observation of a live model: the types, values and shapes of each expression of its methods, over several runs."""
