using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tensor.Bytes.cs: bytes of tensors in streams.</summary>
public sealed class TensorBytesTests : WithTorch
{
    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(1024)]
    public void Bytes_written_in_pieces_are_read_back(int size)
    {
        using var written = tensor(new[] { 1f, 2f, 3f });
        using var read = tensor(new[] { 0f, 0f, 0f });
        using var stream = new MemoryStream();
        written.WriteBytesToStream(stream, size);
        stream.Position = 0;
        read.ReadBytesFromStream(stream, size);
        Assert.Equal([1f, 2f, 3f], read.ToArray<float>());
    }

    [Fact]
    public void A_buffer_of_no_bytes_is_refused()
    {
        using var row = tensor(new[] { 1f });
        using var stream = new MemoryStream();
        Assert.Throws<ArgumentOutOfRangeException>(() => row.WriteBytesToStream(stream, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => row.ReadBytesFromStream(stream, 0));
    }

    [Fact]
    public void Backward_refuses_gradients_of_other_tensors()
    {
        using var row = tensor(new[] { 1f });
        var exception = Assert.Throws<ArgumentException>(() => row.backward([row, row]));
        Assert.Contains("got 1 tensor and 2 gradients", exception.Message);
    }
}
