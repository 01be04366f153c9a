using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>What is read of a tensor.</summary>
public sealed class TensorReaderTests
{
    // The first tensor is read by TorchSharp's members and the others by libtorch's.
    [Fact]
    public void The_first_tensor_is_read_as_all_that_follow()
    {
        Assert.Equal(Read(ones(2, 3), times: 1), Read(ones(2, 3), times: 3)[^1..]);
        foreach (var tensor in new[] { ones(Array.Empty<long>()), ones(0, 2), ones(4).to_type(ScalarType.Int64), ones(1).reshape(1, 1, 1, 1, 1, 1, 1).to_type(ScalarType.BFloat16) })
        {
            var found = Read(tensor, times: 2);
            Assert.Equal(found[0], found[1]);
        }
    }

    private static string[] Read(Tensor tensor, int times)
    {
        var reader = TensorReader.Of(typeof(Tensor));
        List<string> found = [];
        for (var i = 0; i < times; i++)
        {
            var leaves = new Leaves([], digests: false);
            Assert.True(reader.TryAdd(tensor, leaves));
            found.Add(string.Join(',', leaves.Words.ToArray()));
        }

        return [.. found];
    }
}
