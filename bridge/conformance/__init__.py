"""The conformance suite for the runtimes of this package, and the pytest plugin."""
