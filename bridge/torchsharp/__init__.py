"""Models that run in a separate .NET process, on TorchSharp or on Bridge.Torch."""
