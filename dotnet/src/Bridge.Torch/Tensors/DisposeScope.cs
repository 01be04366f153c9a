namespace TorchSharp;

/// <summary>Disposes the tensors made in it, on the thread that made it, when it is disposed itself.</summary>
/// <remarks>Scopes nest per thread. A tensor leaves by <c>DetachFromDisposeScope</c> or <c>MoveToOuterDisposeScope</c>.</remarks>
public sealed class DisposeScope : IDisposable
{
    [ThreadStatic]
    private static DisposeScope? _current;

    private readonly DisposeScope? _outer;
    private readonly HashSet<torch.Tensor> _tensors = new(ReferenceEqualityComparer.Instance);
    private bool _disposed;

    internal DisposeScope()
    {
        _outer = _current;
        _current = this;
    }

    /// <summary>Tensors that the scope would dispose now.</summary>
    public int DisposablesCount => _tensors.Count;

    /// <summary>Runs without any scope: what is made meanwhile is nobody's but the collector's.</summary>
    internal static DisposeScope? Suspend()
    {
        var current = _current;
        _current = null;
        return current;
    }

    internal static void Resume(DisposeScope? scope) => _current = scope;

    internal static void Adopt(torch.Tensor tensor)
    {
        if (Living(_current) is not { } scope) return;
        scope._tensors.Add(tensor);
        tensor.Scope = scope;
    }

    internal void Forget(torch.Tensor tensor) => _tensors.Remove(tensor);

    internal void MoveToOuter(torch.Tensor tensor)
    {
        _tensors.Remove(tensor);
        tensor.Scope = Living(_outer);
        tensor.Scope?._tensors.Add(tensor);
    }

    /// <summary>The innermost scope from this one outwards that was not disposed: scopes may end out of order.</summary>
    private static DisposeScope? Living(DisposeScope? scope)
    {
        while (scope is { _disposed: true }) scope = scope._outer;
        return scope;
    }

    /// <summary>Ends the scope and disposes what is still in it.</summary>
    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        _current = Living(_current);
        foreach (var tensor in _tensors)
        {
            tensor.Scope = null;
            tensor.Dispose();
        }

        _tensors.Clear();
    }
}

public static partial class torch
{
    /// <summary>Opens a scope; every tensor that the thread makes from now on belongs to it.</summary>
    public static DisposeScope NewDisposeScope() => new();
}
