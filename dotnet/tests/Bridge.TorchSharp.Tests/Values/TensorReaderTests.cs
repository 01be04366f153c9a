using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Reading tensors.</summary>
public sealed class TensorReaderTests
{
    // The first tensor is read by TorchSharp's members and the others by libtorch's.
    [Fact]
    public void The_first_tensor_is_read_as_later_ones()
    {
        Assert.Equal(Read(ones(2, 3), times: 1), Read(ones(2, 3), times: 3)[^1..]);
        Tensor[] tensors =
        [
            ones(Array.Empty<long>()), ones(0, 2), ones(4).to_type(ScalarType.Int64),
            ones(1).reshape(1, 1, 1, 1, 1, 1, 1).to_type(ScalarType.BFloat16),
        ];
        foreach (var tensor in tensors)
        {
            var found = Read(tensor, times: 2);
            Assert.Equal(found[0], found[1]);
        }
    }

    // The address stays the same in all cases, and the version in the last two.
    public static TheoryData<string, Action<Tensor>> Changes => new()
    {
        { "in place", x => x.add_(1) },
        { "of a part", x => x[1, 2] = tensor(7f) },
        { "through a view", x => x.view(6).mul_(0.5) },
        { "through detach", x => x.detach().zero_() },
        { "of the shape", x => x.transpose_(0, 1) },
        { "by address", x => x.bytes[23] = 1 },
        { "by an accessor", x => x.data<float>()[1, 2] = 3 },
    };

    [Theory]
    [MemberData(nameof(Changes))]
    public void A_tensor_is_hashed_once_until_its_elements_change(string how, Action<Tensor> change)
    {
        Assert.NotEmpty(how);
        var reader = TensorReader.Create(typeof(Tensor));
        var texts = new List<string>();
        var values = new EventValues(texts, digests: true);
        using var x = arange(6, ScalarType.Float32).add(1).reshape(2, 3);
        foreach (var tensor in new[] { x, x.alias(), x.clone() }) reader.TryAdd(tensor, values);
        Assert.Same(texts[0], texts[1]);
        Assert.Same(texts[0], texts[2]);
        change(x);
        reader.TryAdd(x, values);
        Assert.NotEqual(texts[0], texts[3]);
        Assert.Equal(Fresh(x), texts[3]);

        string Fresh(Tensor tensor)
        {
            var found = new List<string>();
            reader.TryAdd(tensor, new EventValues(found, digests: true));
            return found.Single();
        }
    }

    private static string[] Read(Tensor tensor, int times)
    {
        var reader = TensorReader.Create(typeof(Tensor));
        List<string> found = [];
        for (var i = 0; i < times; i++)
        {
            var values = new EventValues([], digests: false);
            Assert.True(reader.TryAdd(tensor, values));
            found.Add(string.Join(',', values.Words.ToArray()));
        }

        return [.. found];
    }
}
