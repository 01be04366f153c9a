"""Classes of a model: their fields, their constructors, and the surroundings in which their methods are lowered."""
