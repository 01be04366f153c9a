"""TorchSharp itself in Python's process, on the libtorch of Python's torch: one autograd graph, and no copies.

``library`` loads TorchSharp if the two fit each other, ``functions`` binds the C# functions of ``dotnet/src/Bridge.InProcess``, ``loader``
makes the modules of a model, whose class is in ``module``, and ``phases`` runs their hooks.
"""
