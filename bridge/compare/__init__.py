"""A Python model and its .NET port, run and compared: what a terminal and a page show of their two traces."""
