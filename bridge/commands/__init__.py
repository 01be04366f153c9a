"""The commands, one per file, which parse options, call the package and print, and the modules that they share.

A command imports torch and starts .NET only when it runs, so that ``--help`` is fast.
"""
