using TorchSharp.Modules;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Worlds;

/// <summary>A module with a TransformerEncoderLayer, which has no child modules in TorchSharp (TS-8).</summary>
/// <typeparam name="T">The argument and the result: a tensor, or <c>object</c>.</typeparam>
internal sealed class Encoder<T> : Module<T, T>
{
    private readonly TransformerEncoderLayer inner = TransformerEncoderLayer(2, 2, 2, dropout: 0);

    internal Encoder() : base("Encoder") => RegisterComponents();

    /// <inheritdoc/>
    public override T forward(T x) => throw new DefectException(
        "an encoder cannot be called: a program with an encoder ends when it registers a hook inside the encoder");
}
