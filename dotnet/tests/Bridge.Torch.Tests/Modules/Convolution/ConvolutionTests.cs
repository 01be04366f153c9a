using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>Convolution.cs: paddings that a convolution cannot have.</summary>
public sealed class ConvolutionTests : WithTorch
{
    [Fact]
    public void Padding_by_name_is_set_only_where_the_constructor_takes_it()
    {
        using var strided = Conv1d(1, 1, 3, stride: 2);
        Assert.Equal("Conv1d: padding 'Same' needs stride 1.",
            Assert.Throws<ArgumentException>(() => strided.SetPadding(Padding.Same)).Message);
        Assert.Null(strided.padding_type);
        strided.SetPadding(Padding.Valid);
        Assert.Equal(Padding.Valid, strided.padding_type);
        using var plain = Conv1d(1, 1, 3);
        plain.SetPadding(Padding.Same);
        Assert.Equal(Padding.Same, plain.padding_type);
    }

    [Theory]
    [InlineData(Padding.Same)]
    [InlineData(Padding.Valid)]
    public void A_transposed_convolution_has_no_padding_by_name(Padding padding)
    {
        using var transposed = ConvTranspose1d(1, 1, 3);
        Assert.Equal("ConvTranspose1d: a transposed convolution needs its padding in numbers.",
            Assert.Throws<ArgumentException>(() => transposed.SetPadding(padding)).Message);
        Assert.Null(transposed.padding_type);
    }
}
