"""Creation of the Python modules (mirrors) of a C# model: their classes, attributes, children and collections."""
