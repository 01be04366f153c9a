"""Counterfactual: causes of differences, proven by a replay of C# without the cause or of PyTorch with it, or read from the recordings."""
