"""The commands, one per file, and the modules that they share. A command parses options, calls the package and prints.

A command imports torch and starts .NET only when it runs, so that ``--help`` is fast.
"""
