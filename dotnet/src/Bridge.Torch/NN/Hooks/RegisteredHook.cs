using TorchSharp;

namespace Bridge.Torch;

/// <summary>A hook registered from C#.</summary>
/// <param name="kind">The kind of the hook.</param>
/// <param name="prepend">Whether to run the hook before the existing hooks of its kind (O-2).</param>
/// <param name="alwaysCall">Whether the hook also runs when the call fails .</param>
internal abstract class RegisteredHook(HookKind kind, bool prepend, bool alwaysCall)
{
    /// <summary>The values passed to an untyped hook whose code does not read them: no arguments and a null result.</summary>
    internal static readonly object?[] NoValues = [Array.Empty<object?>(), null];

    internal HookKind Kind => kind;

    internal bool IsForward => kind == HookKind.Forward;

    internal bool Prepend => prepend;

    internal bool AlwaysCall => alwaysCall;

    /// <summary>
    /// Gets whether the hook is typed: it gets the arguments one by one, or only the module. An untyped hook gets what PyTorch passes to a
    /// hook of its kind.
    /// </summary>
    internal virtual bool IsTyped => false;

    /// <summary>Gets the class of the module that a typed hook was registered on.</summary>
    internal virtual Type? ModuleType => null;

    internal virtual bool WithKwargs => false;

    /// <summary>Gets whether the hook may keep the tensors that it gets (<see cref="HookCode"/>).</summary>
    internal virtual bool ReadsValues => true;

    /// <summary>Gets whether the hook must get the arguments and the result.</summary>
    internal virtual bool NeedsValues => ReadsValues;

    /// <summary>
    /// Gets the user's delegate if this is an untyped forward hook whose code reads neither the arguments nor the result; otherwise null.
    /// </summary>
    internal virtual Func<torch.nn.Module, object?[], object?, object?>? ValueFreeDelegate => null;

    /// <summary>Gets the user's delegate, whose closure may refer to tensors.</summary>
    internal abstract Delegate Target { get; }

    private IDisposable? _registration;
    private volatile bool _removed;

    /// <summary>
    /// Gets or sets the registration, in C# or in a Python dictionary. Disposing the registration removes the hook. Null before the hook is
    /// registered and after <see cref="Remove"/>.
    /// </summary>
    internal IDisposable? Registration
    {
        get => Volatile.Read(ref _registration);
        set
        {
            Interlocked.Exchange(ref _registration, value);
            // The hook was removed while it was being registered.
            if (_removed) Remove();
        }
    }

    internal void Remove()
    {
        _removed = true;
        Interlocked.Exchange(ref _registration, null)?.Dispose();
        Removed?.Invoke();
    }

    /// <summary>Gets or sets the action to run when the hook is removed, by C# or by Python.</summary>
    internal Action? Removed { get; set; }

    // The ids of the modules whose HookPlan has the hook; null after Python has removed the hook.
    private HashSet<long>? _plans = [];

    /// <summary>Adds the id of a module whose plan has the hook. Returns false if Python has removed the hook.</summary>
    internal bool TryAddPlan(long id)
    {
        lock (this)
        {
            _plans?.Add(id);
            return _plans is not null;
        }
    }

    /// <summary>Discards the plans that contain the hook, after Python has removed the hook.</summary>
    /// <param name="forget">Discards the plan of the module with the given id.</param>
    internal void DropPlans(Action<long> forget)
    {
        HashSet<long>? plans;
        lock (this) (plans, _plans) = (_plans, null);
        foreach (var id in plans ?? []) forget(id);
        Removed?.Invoke();
    }

    /// <summary>Runs the hook.</summary>
    /// <param name="module">The module; null for a tensor's hook.</param>
    /// <param name="values">
    /// Plain values (see <see cref="Tuples"/>). For a typed hook: the arguments, then the result. For an untyped hook: what PyTorch passes
    /// after the module. If an untyped hook changes the kwargs in place, the array holds the changed dictionary afterwards (P-5), also if
    /// the hook throws.
    /// </param>
    /// <returns>
    /// The replacement of the arguments, the result or the gradient; or null. For a hook with kwargs, an array of two: this replacement,
    /// and the replacement of the kwargs or null.
    /// </returns>
    internal abstract object? Invoke(torch.nn.Module? module, object?[] values);

    /// <summary>
    /// Runs a hook that takes kwargs. If the hook changes the kwargs in place, <paramref name="take"/> gets the changed kwargs, even if the
    /// hook throws: later hooks get them, including the always-called hooks that run after the exception.
    /// </summary>
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
                // The hook's own exception explains more than this one, which concerns a value that cannot be converted.
            }
        }
    }
}

/// <summary>A handle that removes a hook.</summary>
/// <remarks>Removing twice, or after the module died, does nothing (H-3). The handle does not keep the module alive (H-2).</remarks>
public class HookRemover : IDisposable
{
    private readonly WeakReference<RegisteredHook>? _hook;

    internal HookRemover(RegisteredHook? hook) => _hook = hook is null ? null : new(hook);

    /// <summary>Gets the hook to remove; null if there is none any more.</summary>
    private protected virtual RegisteredHook? Hook => _hook is not null && _hook.TryGetTarget(out var hook) ? hook : null;

    /// <summary>Removes the hook, so that calls that start later do not run it.</summary>
    public void remove() => Hook?.Remove();

    /// <summary>Removes the hook, as <see cref="remove"/> does.</summary>
    public void Dispose() => remove();
}
