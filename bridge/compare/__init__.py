"""The comparison of a PyTorch model with its .NET port, and its reports."""
