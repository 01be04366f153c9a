"""TorchSharp itself in Python's process, on the libtorch of Python's torch: one autograd graph, and no copies.

``library`` loads TorchSharp, if TorchSharp fits Python's torch, and the C# functions of ``dotnet/src/Bridge.InProcess``. ``loader`` makes
a model's Python modules, instances of the classes in ``module``. ``hooks`` runs the hooks of these modules, ``state`` passes changed
tensors and training modes between Python and C#, and ``modes`` refuses calls that could end the process or skip Python code.
"""
