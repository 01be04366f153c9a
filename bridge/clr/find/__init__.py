"""Locate a .NET runtime and our compiled assemblies; paths only, nothing is loaded."""
