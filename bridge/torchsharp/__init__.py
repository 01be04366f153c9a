"""Models that run on the TorchSharp package itself, not on Bridge.Torch."""
