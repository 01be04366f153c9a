"""Hooks across languages: C# hooks in PyTorch's dictionaries, and the callbacks of .NET."""
