"""Models on the user's own TorchSharp."""
