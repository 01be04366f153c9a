namespace Bridge.Torch;

/// <summary>An operator of libtorch failed; the message is libtorch's.</summary>
/// <param name="message">Operator and reason.</param>
public sealed class TorchException(string message) : System.Runtime.InteropServices.ExternalException(message);
