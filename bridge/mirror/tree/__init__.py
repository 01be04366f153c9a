"""Mirrors for the modules of a C# model: classes, attributes, children and collections."""
