namespace Bridge.Interop;

public static unsafe partial class Exports
{
    /// <summary>The value of a field or property of a user's class; a new reference.</summary>
    private static IntPtr GetMember(long id, string name)
    {
        return Objects.Write(WithTensors(id, module => Declarations.Get(module, name)));
    }

    /// <summary>Sets a field or property of a user's class: the value is the only item.</summary>
    private static void SetMember(long id, string name, IntPtr* value, int count)
    {
        var given = Objects.Read(value, count)[0];
        WithTensors(id, module =>
        {
            Declarations.Set(module, name, given);
            return true;
        });
    }

    /// <summary>PyTorch records a trace of what this thread calls, from now on (1) or no more (0); gives the methods that read sizes or elements meanwhile, a line each.</summary>
    private static string Traced(long begins)
    {
        if (begins == 0) return string.Join('\n', Torch.TracedReads.End());
        Torch.TracedReads.Begin();
        return "";
    }

    /// <summary>Something in Python follows what this thread calls, from now on (1) or no more (0). With names: the operators that run Python's functions.</summary>
    private static void Follow(long begins, string functions)
    {
        if (functions.Length > 0) Torch.Native.TorchFunctionMode.SetPublicOperators(functions);
        if (begins != 0) Torch.Native.TorchFunctionMode.Enter();
        else Torch.Native.TorchFunctionMode.Exit();
    }

    /// <summary>The place in the model's C# that waits for what runs now on this thread: file, line and method, a tab between them; empty where none does.</summary>
    private static string Caller() => Torch.Native.Caller.Innermost();

    /// <summary>Of what is loaded from now on the lines are known exactly (1), or it runs as fast as it can (0).</summary>
    private static void KeepLines(long begins) => Loader.KeepsLines = begins != 0;

    // A property is code of the user's, which may read the module's tensors.
    private static T WithTensors<T>(long id, Func<TorchSharp.torch.nn.Module, T> run)
    {
        var link = MirrorLink.Get(id);
        var tree = link.Acquire();
        try
        {
            return Python.Released(() => run(link.Module));
        }
        finally
        {
            MirrorLink.Release(tree);
        }
    }
}
