using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Items by name from a function: without one, "x" is the index.</summary>
internal sealed class NamedItems(long count, Func<long, Dictionary<string, Tensor>>? item = null) : utils.data.Dataset
{
    internal List<Tensor> Given { get; } = [];

    internal int Disposed { get; private set; }

    public override long Count => count;

    public override Dictionary<string, Tensor> GetTensor(long index)
    {
        var given = item?.Invoke(index) ?? new() { ["x"] = tensor(index) };
        lock (Given) Given.AddRange(given.Values);
        return given;
    }

    protected override void Dispose(bool disposing)
    {
        Disposed++;
        base.Dispose(disposing);
    }
}

/// <summary>Items of any type from a function.</summary>
internal sealed class Items<T>(long count, Func<long, T> item) : utils.data.Dataset<T>
{
    public override long Count => count;

    public override T GetTensor(long index) => item(index);
}

/// <summary>Lists of tensors from a function.</summary>
internal sealed class ListItems(long count, Func<long, IList<Tensor>> item) : utils.data.IterableDataset
{
    public override long Count => count;

    public override IList<Tensor> GetTensor(long index) => item(index);
}
