"""TorchSharp itself in Python's process, on the libtorch of Python's torch: one autograd graph, and no copies."""
