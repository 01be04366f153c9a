using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>A data set of several tensors: the item at an index is the list of the rows that the tensors have at this index.</summary>
/// <remarks>
/// It does not dispose the given tensors: it has its own, which share their memory. PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.TensorDataset">torch.utils.data.TensorDataset</see>.
/// </remarks>
public class TensorDataset : utils.data.IterableDataset
{
    private readonly Tensor[] _tensors;

    /// <exception cref="ArgumentNullException">No tensor was given.</exception>
    /// <exception cref="ArgumentException">The tensors have different numbers of rows.</exception>
    internal TensorDataset(Tensor[] tensors)
    {
        if (tensors is not { Length: > 0 }) throw new ArgumentNullException(nameof(tensors));
        var rows = tensors[0].shape[0];
        if (tensors.FirstOrDefault(tensor => tensor.shape[0] != rows) is { } other)
            throw new ArgumentException($"The first tensor has {rows} rows, another {other.shape[0]}.", nameof(tensors));
        _tensors = [.. tensors.Select(tensor => tensor.alias().DetachFromDisposeScope())];
    }

    /// <summary>Gets the row of each tensor at an index, which counts from the end if it is negative.</summary>
    /// <param name="index">The index of the row.</param>
    public IList<Tensor> this[long index] => _tensors.Select(tensor => tensor[index]).ToList();

    /// <inheritdoc/>
    public override long Count => _tensors[0].shape[0];

    /// <inheritdoc/>
    public override IList<Tensor> GetTensor(long index) => this[index];

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            foreach (var tensor in _tensors) tensor.Dispose();
        base.Dispose(disposing);
    }
}
