namespace TorchSharp;

/// <summary>Disposes the tensors that its thread made while it was the innermost one, whoever refers to them (rule 87).</summary>
public sealed class DisposeScope : IDisposable
{
    [ThreadStatic]
    private static DisposeScope? _current;

    private readonly DisposeScope? _outer = _current;
    private readonly HashSet<torch.Tensor> _tensors = new(ReferenceEqualityComparer.Instance);

    internal DisposeScope() => _current = this;

    /// <summary>A new tensor belongs to the innermost scope, if there is one.</summary>
    internal static void Add(torch.Tensor tensor) => _current?._tensors.Add(tensor);

    /// <summary>The tensor belongs to the scope around the innermost one, or to none (rule 88).</summary>
    internal static void MoveOut(torch.Tensor tensor)
    {
        if (_current?._tensors.Remove(tensor) == true) _current._outer?._tensors.Add(tensor);
    }

    /// <summary>The tensor belongs to no scope (rule 88).</summary>
    internal static void Detach(torch.Tensor tensor)
    {
        for (var scope = _current; scope is not null; scope = scope._outer) scope._tensors.Remove(tensor);
    }

    public void Dispose()
    {
        _current = _outer;
        foreach (var tensor in _tensors) tensor.Dispose();
    }
}
