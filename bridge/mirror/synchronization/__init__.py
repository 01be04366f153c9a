"""Synchronization of .NET with changes that Python makes: replaced modules, tensors, children, hooks and attributes."""
