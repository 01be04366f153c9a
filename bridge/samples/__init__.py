"""PyTorch originals of the models in dotnet/samples, each a small module of its own."""
