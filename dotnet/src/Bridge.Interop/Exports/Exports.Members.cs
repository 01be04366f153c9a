using Bridge.Torch;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    /// <summary>Returns the value of a field or property of a user's module class.</summary>
    private static OwnedReference GetMember(long id, string name) =>
        Converter.ToPython(WithTensors(id, module => Declarations.Get(module, name)));

    /// <summary>Sets a field or property of a user's module class to the only item of <paramref name="value"/>.</summary>
    private static void SetMember(long id, string name, BorrowedReference* value, int count)
    {
        var item = Converter.ToDotNet(value, count)[0];
        WithTensors(id, module =>
        {
            Declarations.Set(module, name, item);
            return true;
        });
    }

    /// <summary>
    /// With 1, begins to collect the names of the methods that read sizes of tensors on this thread during <c>torch.jit.trace</c>, and
    /// returns an empty string. With 0, stops and returns the names, one per line.
    /// </summary>
    private static string TraceReads(long begins)
    {
        if (begins == 0) return string.Join('\n', Torch.TracedReads.End());
        Torch.TracedReads.Begin();
        return "";
    }

    /// <summary>
    /// Begins or ends routing this thread's operators through PyTorch's public functions, so that Python code that observes them, such as a
    /// <c>TorchFunctionMode</c>, sees the operators.
    /// </summary>
    /// <param name="begins">1 to begin, 0 to end.</param>
    /// <param name="functions">The names, one per line, of the operators that have a public function; empty for no change.</param>
    private static void FollowOperators(long begins, string functions)
    {
        if (functions.Length > 0) Torch.Native.TorchFunctionMode.SetPublicOperators(functions);
        if (begins != 0) Torch.Native.TorchFunctionMode.Enter();
        else Torch.Native.TorchFunctionMode.Exit();
    }

    /// <summary>
    /// Returns the source location of the innermost model code on this thread's stack: file, line and method, separated by tabs; empty if
    /// there is none.
    /// </summary>
    private static string CallerLocation() => Torch.Native.Caller.Innermost();

    /// <summary>Begins (1) to measure the tensors of the calls on this thread, or ends it (0) and returns them as JSON.</summary>
    private static string MeasureMemory(long begins)
    {
        if (begins == 0) return MemoryLog.Stop();
        MemoryLog.Start();
        return "";
    }

    /// <summary>Sets whether assemblies that this thread loads next keep exact line numbers (1), or are optimized (0).</summary>
    private static void KeepLines(long keeps) => Loader.KeepsLines = keeps != 0;

    // Runs code while the module's tensors are acquired, because the code of a property may read them.
    private static T WithTensors<T>(long id, Func<TorchSharp.torch.nn.Module, T> run)
    {
        var link = MirrorLink.Get(id);
        var tree = link.Acquire();
        try
        {
            return Python.WithoutGil(() => run(link.Module));
        }
        finally
        {
            MirrorLink.Release(tree);
        }
    }
}
