using TorchSharp.Modules;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Worlds;

/// <summary>A module with an encoder layer, which libtorch creates: nothing inside of it is a module (TS-8).</summary>
/// <typeparam name="T">The argument and the result: a tensor, or <c>object</c>.</typeparam>
internal sealed class Encoder<T> : Module<T, T>
{
    private readonly TransformerEncoderLayer inner = TransformerEncoderLayer(2, 2, 2, dropout: 0);

    internal Encoder() : base("Encoder") => RegisterComponents();

    /// <inheritdoc/>
    public override T forward(T x) => throw new DefectException(
        "a call of an encoder: programs with an encoder first register hooks inside of it, and end there");
}
