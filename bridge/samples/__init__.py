"""PyTorch originals of the models in dotnet/samples, each written as its own small module."""
