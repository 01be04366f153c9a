"""Comparing a Python model with its .NET port: what a terminal and a page show of two traces."""
