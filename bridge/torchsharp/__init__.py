"""TorchSharp itself: models on the user's own TorchSharp."""
