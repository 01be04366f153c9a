"""The inputs, cases and outputs of a comparison."""
