"""Counterfactual: candidate causes of a difference, each proven by another replay in which the cause is absent (or present)."""
