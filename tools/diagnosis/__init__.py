"""Mistakes planted in C# ports, and how many of them ``compare`` notices, locates and explains: ``make diagnosis``."""
