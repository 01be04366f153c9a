using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>The same with a forward hook on every module, which does nothing or looks at the result, and so may keep it.</summary>
public sealed class HookedMlp : Mlp
{
    private long seen;

    public HookedMlp(long depth, long width, bool looks) : base(depth, width)
    {
        Func<Module, object?[], object?, object?> hook = looks ? Look : Count;
        foreach (var module in modules().Prepend(this).Distinct()) module.register_forward_hook(hook);
    }

    private object? Count(Module module, object?[] args, object? output)
    {
        seen++;
        return null;
    }

    private object? Look(Module module, object?[] args, object? output)
    {
        if (output is not null) seen++;
        return null;
    }
}
