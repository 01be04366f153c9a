using TorchSharp.Modules;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Worlds;

/// <summary>A module with an encoder layer, which libtorch makes: nothing inside of it is a module (TS-8).</summary>
/// <typeparam name="T">What it takes and gives: a tensor, or <c>object</c>.</typeparam>
internal sealed class Encoder<T> : Module<T, T>
{
    private readonly TransformerEncoderLayer inner = TransformerEncoderLayer(2, 2, 2, dropout: 0);

    internal Encoder() : base("Encoder") => RegisterComponents();

    /// <inheritdoc/>
    public override T forward(T x) => throw new Defect("a call of an encoder: the programs that have one register hooks inside of it first, which ends them here");
}
