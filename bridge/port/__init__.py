"""From a PyTorch model to C#: the classes of a live model, written as a TorchSharp user would have written them."""
