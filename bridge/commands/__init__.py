"""The commands, one a file: they parse, call and print, and have no logic of their own.

What is heavy (torch, .NET) is imported by the command that needs it, when it runs.
"""
