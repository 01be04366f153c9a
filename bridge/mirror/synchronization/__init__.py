"""Synchronization of .NET with mirrors: the module in a mirror's place, its tensors, entries and hooks."""
