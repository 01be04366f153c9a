using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Which arguments of a call count as defaults.</summary>
public sealed class ArgumentReadersTests : IDisposable
{
    private static readonly Tensor X = ones(2, 1, 4);
    private static readonly Tensor Two = tensor(new long[] { 1, 2, 3, 4 }, [2, 2]);
    private readonly RecordedRun _run = new();

    public void Dispose() => _run.Dispose();

    // Shorter overloads pass null for parameters that have no default in the full overload.
    public static TheoryData<string, nn.Module, Action<nn.Module>> Calls => new()
    {
        { "[2,2]", nn.EmbeddingBag(10, 3), m => ((EmbeddingBag)m).call(Two) },
        { "[4]; [2]", nn.EmbeddingBag(10, 3), m => ((EmbeddingBag)m).call(Two.flatten(), tensor(new long[] { 0, 2 })) },
        {
            "[2,2]; none; [2,2]", nn.EmbeddingBag(10, 3, mode: global::TorchSharp.EmbeddingBagMode.Sum),
            m => ((EmbeddingBag)m).call(Two, null!, ones(2, 2))
        },
        { "[2,1,4]", nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1), m => ((TransformerEncoder)m).call(X) },
        {
            "[2,1,4]; [2,2]", nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1),
            m => ((TransformerEncoder)m).call(X, zeros(2, 2))
        },
        { "[2,1,4]; [2,1,4]", nn.TransformerDecoderLayer(4, 2), m => ((TransformerDecoderLayer)m).call(X, X) },
        { "[2,1,4]; [2,1,4]; [2,2]", nn.TransformerDecoderLayer(4, 2), m => ((TransformerDecoderLayer)m).call(X, X, zeros(2, 2)) },
        {
            "[2,1,4]; [2,1,4]", nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2), 1),
            m => ((TransformerDecoder)m).call(X, X)
        },
        {
            "[2,1,4]; [2,1,4]; none; [2,2]", nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2), 1),
            m => ((TransformerDecoder)m).call(X, X, null!, zeros(2, 2))
        },
        { "[2,1,4]", nn.RNN(4, 3), m => ((RNN)m).call(X) },
        { "[2,1,4]", new Below(), m => ((Below)m).call(X) },
        { "[2,1,4]; none; int 0", new Below(), m => ((Below)m).call(X, null, 0) },
        { "[2,1,4]; [2,2]; int 4", new Below(), m => ((Below)m).call(X, Two, 4) },
    };

    [Theory]
    [MemberData(nameof(Calls), DisableDiscoveryEnumeration = true)]
    public void Arguments_that_an_overload_omits_are_not_recorded(string expected, nn.Module module, Action<nn.Module> call) =>
        Assert.Equal(expected, _run.Arguments(module, () => call(module)));

    public class Above : nn.Module<Tensor, Tensor?, int, Tensor>
    {
        public Above() : base(nameof(Above)) { }

        public Tensor call(Tensor x) => call(x, null, 5);

        public new Tensor call(Tensor x, Tensor? mask, int times = 5) => base.call(x, mask, times);

        public override Tensor forward(Tensor x, Tensor? mask, int times) => x.alias();
    }

    public sealed class Below : Above
    {
    }
}
