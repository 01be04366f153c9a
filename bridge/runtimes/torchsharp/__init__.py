"""TorchSharp in a process of its own as a runtime of hook programs: with its native hooks, and with ours on its modules."""
