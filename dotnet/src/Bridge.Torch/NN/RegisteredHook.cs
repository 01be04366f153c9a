using TorchSharp;

namespace Bridge.Torch;

/// <summary>One hook registered from C#, whatever its delegate's type.</summary>
/// <param name="kind">When it runs.</param>
/// <param name="prepend">Registered in front (O-2).</param>
/// <param name="alwaysCall">Also runs when the call fails .</param>
internal abstract class RegisteredHook(HookKind kind, bool prepend, bool alwaysCall)
{
    /// <summary>What an untyped hook gets whose code does not look at the values.</summary>
    internal static readonly object?[] NoValues = [Array.Empty<object?>(), null];

    internal HookKind Kind => kind;

    internal bool IsForward => kind == HookKind.Forward;

    internal bool Prepend => prepend;

    internal bool AlwaysCall => alwaysCall;

    /// <summary>It has each argument of the call at its place; otherwise it gets what PyTorch passes to a hook of its kind.</summary>
    internal virtual bool IsTyped => false;

    /// <summary>The class of the module that it was registered on, if it has its types.</summary>
    internal virtual Type? ModuleType => null;

    /// <summary>It gets the arguments that were given by name too.</summary>
    internal virtual bool WithKwargs => false;

    /// <summary>It may keep the tensors that it is given (<see cref="HookCode"/>).</summary>
    internal virtual bool ReadsValues => true;

    /// <summary>The user's delegate, if it is a forward hook whose code loads neither the arguments nor the result, so that it can be given none; or null.</summary>
    internal virtual Func<torch.nn.Module, object?[], object?, object?>? ValueFreeDelegate => null;

    /// <summary>What a tensor that it captured depends on.</summary>
    internal abstract Delegate Target { get; }

    private IDisposable? _registration;
    private volatile bool _removed;

    /// <summary>What removes it from where it is now: the C# registry, or a dictionary of Python's.</summary>
    internal IDisposable? Registration
    {
        get => Volatile.Read(ref _registration);
        set
        {
            Interlocked.Exchange(ref _registration, value);
            // Removed while it was being registered.
            if (_removed) Remove();
        }
    }

    /// <summary>Removes it, wherever it is.</summary>
    internal void Remove()
    {
        _removed = true;
        Interlocked.Exchange(ref _registration, null)?.Dispose();
    }

    private HashSet<long>? _plans = [];

    /// <summary>A plan of a module's hooks has it; false when Python has dropped it.</summary>
    internal bool TryAddPlan(long id)
    {
        lock (this)
        {
            _plans?.Add(id);
            return _plans is not null;
        }
    }

    /// <summary>Python dropped it: the modules whose plans have it let it go.</summary>
    internal void DropPlans(Action<long> forget)
    {
        HashSet<long>? plans;
        lock (this) (plans, _plans) = (_plans, null);
        foreach (var id in plans ?? []) forget(id);
    }

    /// <summary>Runs it.</summary>
    /// <param name="module">The module, null for a tensor's hook.</param>
    /// <param name="values">
    /// Plain values (see <see cref="Tuples"/>). A typed hook: the arguments, then the result. Any other: what PyTorch passes after the module. A hook
    /// that changes the kwargs in place leaves another dictionary there (P-5), also when it throws.
    /// </param>
    /// <returns>
    /// What takes the place of the arguments, the result or the gradient, or null. A hook with kwargs gives an array of two: that, and the dictionary
    /// that it returned.
    /// </returns>
    internal abstract object? Invoke(torch.nn.Module? module, object?[] values);

    /// <summary>Runs it, and hands over the kwargs if it changed them in place: hooks after it have them, also those that run because it threw.</summary>
    internal object? InvokeWithKwargs(torch.nn.Module? module, object?[] values, Action<DictOfValues> take)
    {
        var given = values[1];
        var failed = true;
        try
        {
            var made = Invoke(module, values);
            failed = false;
            return made;
        }
        finally
        {
            try
            {
                if (values[1] is DictOfValues written && !ReferenceEquals(written, given)) take(written);
            }
            catch (Exception) when (failed)
            {
                // What the hook threw says more than that a value does not cross.
            }
        }
    }
}

/// <summary>Removes one hook.</summary>
/// <remarks>Removing twice, or after the module died, does nothing (H-3); the handle does not keep the module alive (H-2).</remarks>
public class HookRemover : IDisposable
{
    private readonly WeakReference<RegisteredHook> _hook;

    internal HookRemover(RegisteredHook hook) => _hook = new(hook);

    /// <summary>Removes the hook. TorchSharp's name.</summary>
    public void remove()
    {
        if (_hook.TryGetTarget(out var hook)) hook.Remove();
    }

    /// <summary>Removes the hook.</summary>
    public void Dispose() => remove();
}
