"""TorchSharp itself as a runtime of hook programs, in a process of its own: its native hooks, and ours on its modules."""
