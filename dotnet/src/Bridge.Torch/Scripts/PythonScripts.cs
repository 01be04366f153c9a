using System.Collections.Concurrent;

namespace Bridge.Torch;

/// <summary>TorchScript, which Python's <c>torch.jit</c> loads and runs. libtorch's stable ABI has no functions for it.</summary>
internal abstract class PythonScripts
{
    private static readonly ConcurrentQueue<long> Released = new();

    /// <summary>Gets or sets the TorchScript of the Python in this process; null if there is no Python.</summary>
    internal static PythonScripts? Current { get; set; }

    /// <summary>Returns <see cref="Current"/>.</summary>
    /// <param name="member">The member that needs Python, for the message.</param>
    /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
    internal static PythonScripts Require(string member) => Current ?? throw new NotSupportedException(
        $"{member} needs Python in the process, whose torch.jit runs TorchScript: start the C# from Python by bridge.load or bridge.new.");

    /// <summary>Lets Python free an object, at the next <see cref="Run"/>. Any thread may call this, the finalizer's too.</summary>
    internal static void Release(long number) => Released.Enqueue(number);

    /// <summary>Runs a function in Python. Arguments and result are plain values (see <see cref="Tuples"/>).</summary>
    internal object? Run(string function, params object?[] arguments)
    {
        List<object?> released = [];
        while (Released.TryDequeue(out var number)) released.Add(number);
        if (released.Count > 0) RunInPython("release", [released.ToArray()]);
        return RunInPython(function, arguments);
    }

    private protected abstract object? RunInPython(string function, object?[] arguments);
}
