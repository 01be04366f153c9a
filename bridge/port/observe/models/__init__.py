"""A model: its construction and its constructors, its weights, and whether port takes it."""
