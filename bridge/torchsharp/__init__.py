"""Models that run in a separate .NET process, for instance on the TorchSharp package."""
