using TorchSharp.Modules;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Worlds;

/// <summary>
/// A module whose only child is a TransformerEncoderLayer. In TorchSharp, that layer has no children itself (TS-8 in docs/divergences.md).
/// </summary>
/// <typeparam name="T">The type of the argument and of the result: <c>Tensor</c> or <c>object</c>.</typeparam>
internal sealed class Encoder<T> : Module<T, T>
{
    private readonly TransformerEncoderLayer inner = TransformerEncoderLayer(2, 2, 2, dropout: 0);

    internal Encoder() : base("Encoder") => RegisterComponents();

    /// <inheritdoc/>
    public override T forward(T x) => throw new DefectException(
        "this encoder was called, which must not happen: a program that uses it should have ended earlier, because TorchSharp's layer " +
        "has no children to hook");
}
