"""TorchSharp in a separate process, as two runtimes of hook programs: with its own hooks, and with the hooks of Bridge.TorchSharp."""
