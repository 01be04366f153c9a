"""TorchSharp in this process, on the libtorch of Python's torch, as a runtime of hook programs."""
