"""The two models of a comparison: targets, weights, settings and names."""
