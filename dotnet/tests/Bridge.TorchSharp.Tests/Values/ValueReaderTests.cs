using System.Numerics;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Reading arguments of TorchSharp's own types.</summary>
public sealed class ValueReaderTests : IDisposable
{
    private readonly RecordedRun _run = new();

    public void Dispose() => _run.Dispose();

    public static TheoryData<string, Func<Scalar?>> Scalars => new()
    {
        { "int 2", () => 2 },
        { "int -3", () => (sbyte)-3 },
        { "int 9007199254740993", () => 9007199254740993 },
        { "float 2.0", () => 2.0 },
        { "float 0.5", () => 0.5f },
        { "float 0.5", () => (Half)0.5 },
        { "float 0.5", () => 0.5f.ToBFloat16Scalar() },
        { "bool True", () => true },
        { "object", () => new Complex(1, 2) },
        { "none", () => null },
    };

    [Theory]
    [MemberData(nameof(Scalars), DisableDiscoveryEnumeration = true)]
    public void A_Scalar_is_recorded_as_its_number(string expected, Func<Scalar?> make)
    {
        using var scalar = make();
        var module = new Given<Scalar?, (object?, Scalar?[]), Tensor>((x, list) => ones(1));
        Assert.Equal($"{expected}; {expected}; {expected}", _run.Arguments(module, () => module.call(scalar, (scalar, [scalar]))));
    }

    [Fact]
    public void A_disposed_Scalar_does_not_end_the_call()
    {
        Scalar scalar = 2;
        scalar.Dispose();
        var module = new Given<Scalar, Tensor>(x => ones(1));
        Assert.Equal("object", _run.Arguments(module, () => module.call(scalar)));
    }

    [Theory]
    [InlineData(true, "[3,2]; [2]; none; none")]
    [InlineData(false, "[3,2]; [2]; [2]; [2]")]
    public void A_PackedSequence_is_recorded_as_Pythons_tuple(bool sorted, string expected)
    {
        var packed = nn.utils.rnn.pack_padded_sequence(ones(2, 2, 2), tensor(new long[] { 2, 1 }), enforce_sorted: sorted);
        var module = new Given<nn.utils.rnn.PackedSequence, Tensor>(x => x.data);
        Assert.Equal(expected, _run.Arguments(module, () => module.call(packed)));
    }
}
