"""C# hooks in PyTorch's hook dictionaries, and the Python functions that .NET calls."""
