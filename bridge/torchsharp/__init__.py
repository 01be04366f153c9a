"""Models that run on TorchSharp, in this process or in a separate one, or on Bridge.Torch in a separate process."""
