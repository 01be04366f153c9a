"""Counterfactual: candidate causes of a difference, each proven by a replay of C# without the cause, or of PyTorch with it."""
