using Bridge.Hooks;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>One hook registered from C#, whatever its delegate's type.</summary>
/// <param name="isForward">A forward hook; otherwise a pre hook.</param>
/// <param name="prepend">Registered in front (O-2).</param>
/// <param name="alwaysCall">Also runs when the call fails .</param>
internal abstract class Hook(bool isForward, bool prepend, bool alwaysCall)
{
    internal bool IsForward => isForward;

    internal bool Prepend => prepend;

    internal bool AlwaysCall => alwaysCall;

    private IDisposable? _place;
    private volatile bool _removed;

    /// <summary>What removes it from where it is now: the C# registry, or the mirror's dictionary.</summary>
    internal IDisposable? Place
    {
        get => Volatile.Read(ref _place);
        set
        {
            Interlocked.Exchange(ref _place, value);
            // Removed while it was being registered.
            if (_removed) Remove();
        }
    }

    /// <summary>Removes it, wherever it is.</summary>
    internal void Remove()
    {
        _removed = true;
        Interlocked.Exchange(ref _place, null)?.Dispose();
    }

    /// <summary>Runs a pre hook on boxed arguments; the new arguments, or null to keep them.</summary>
    internal abstract object?[]? InvokePre(torch.nn.Module module, object?[] arguments);

    /// <summary>Runs a forward hook on boxed arguments; what it returned.</summary>
    internal abstract object? InvokeForward(torch.nn.Module module, object?[] arguments, object? result);
}

/// <summary>Removes one hook.</summary>
/// <remarks>Removing twice, or after the module died, does nothing (H-3); the handle does not keep the module alive (H-2).</remarks>
public class HookRemover : IDisposable
{
    private readonly WeakReference<Hook> _hook;

    internal HookRemover(Hook hook) => _hook = new(hook);

    /// <summary>Removes the hook. TorchSharp's name.</summary>
    public void remove()
    {
        if (_hook.TryGetTarget(out var hook)) hook.Remove();
    }

    /// <summary>Removes the hook.</summary>
    public void Dispose() => remove();
}
