"""The commands, one per file: they parse options, call the package and print.

A command imports torch and .NET when it runs, so that ``--help`` is fast.
"""
