namespace Bridge.Torch;

/// <summary>The number by which C# refers to a TorchScript module or compilation unit in Python.</summary>
internal sealed class ScriptReference(long number, string owner) : IDisposable
{
    private int _disposed;

    ~ScriptReference() => Release();

    /// <exception cref="ObjectDisposedException">The owner was disposed.</exception>
    internal long Number
    {
        get
        {
            ObjectDisposedException.ThrowIf(_disposed != 0, owner);
            return number;
        }
    }

    public void Dispose()
    {
        Release();
        GC.SuppressFinalize(this);
    }

    private void Release()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0) PythonScripts.Release(number);
    }
}
