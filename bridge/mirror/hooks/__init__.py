"""Hooks that cross languages: C# hooks in PyTorch's dictionaries, and callbacks from .NET."""
