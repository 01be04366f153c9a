"""Keep .NET informed of what Python has: the module in a mirror's place, its tensors, entries and hooks."""
