"""Runtimes of hook programs: their interface, the interpreter for Python, commands in other languages, and the model of the contract."""
