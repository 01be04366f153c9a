"""The comparison of a PyTorch model with its C# port, or of a C# model with itself on another runtime, and the reports of the result."""
