"""The two models of a comparison: their targets, weights, settings and names."""
