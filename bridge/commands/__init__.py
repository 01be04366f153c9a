"""The commands, one per file: they parse, call and print, and have no logic of their own.

A command imports what is heavy (torch, .NET) when it runs.
"""
