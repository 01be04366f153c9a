"""PyTorch originals of the C# models in dotnet/samples."""
