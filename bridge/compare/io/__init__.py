"""Inputs, cases and outputs of a comparison."""
