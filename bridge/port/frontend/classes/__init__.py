"""Classes of a model: their fields, their constructors, what their methods are lowered within."""
