"""TorchSharp, in a separate process, as a runtime of hook programs: with its own hooks, and with Bridge.TorchSharp's on its modules."""
