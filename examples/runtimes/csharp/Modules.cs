// A small library of modules with hooks: what you have already. Program.cs connects it to the suite.

namespace Sample;

/// <summary>Gets the arguments of a call. Returns null to keep them, the only argument for Forward, or an array of all.</summary>
public delegate object? PreHook(Module module, object?[] args);

/// <summary>Gets the arguments and the output of Forward. Returns null to keep the output, or another one.</summary>
public delegate object? ForwardHook(Module module, object?[] args, object? output);

[Flags]
public enum HookOptions
{
    None = 0,
    Prepend = 1,
    AlwaysCall = 2,
}

/// <summary>Represents one registered hook. Ids increase over all modules.</summary>
public sealed class Handle(Action<Handle> remove) : IDisposable
{
    private static long s_last;

    public long Id { get; } = Interlocked.Increment(ref s_last);

    public void Dispose() => remove(this);
}

/// <summary>A hook, and whether it also runs after an exception.</summary>
public sealed record Entry<T>(Handle Handle, T Hook, bool AlwaysCall);

/// <summary>The hooks of one kind, in the order in which they run. A change makes a new array, beside one that is iterated.</summary>
public sealed class Hooks<T>(HookOptions possible)
{
    private readonly object _lock = new();

    public Entry<T>[] Entries { get; private set; } = [];

    public Handle Add(T hook, HookOptions options = HookOptions.None)
    {
        if ((options & ~possible) != 0) throw new ArgumentException($"This hook cannot have the options {options}.", nameof(options));
        var entry = new Entry<T>(new Handle(Remove), hook, options.HasFlag(HookOptions.AlwaysCall));
        lock (_lock) Entries = options.HasFlag(HookOptions.Prepend) ? [entry, .. Entries] : [.. Entries, entry];
        return entry.Handle;
    }

    public void Clear() => Entries = [];

    private void Remove(Handle handle)
    {
        lock (_lock)
        {
            if (Array.Exists(Entries, entry => entry.Handle == handle)) Entries = Array.FindAll(Entries, entry => entry.Handle != handle);
        }
    }
}

public abstract class Module
{
    /// <summary>The hooks of all modules. They run before a module's own.</summary>
    public static readonly Hooks<PreHook> GlobalPreHooks = new(HookOptions.None);

    public static readonly Hooks<ForwardHook> GlobalForwardHooks = new(HookOptions.AlwaysCall);

    public Hooks<PreHook> PreHooks { get; } = new(HookOptions.Prepend);

    public Hooks<ForwardHook> ForwardHooks { get; } = new(HookOptions.Prepend | HookOptions.AlwaysCall);

    public List<(string Name, Module Module)> Children { get; } = [];

    /// <summary>Raised for an exception that a hook throws after another exception.</summary>
    public static event Action<string>? Warned;

    public abstract object? Forward(object?[] args);

    /// <summary>Returns the module at a dotted path, such as "encoder.0".</summary>
    public Module At(string path) =>
        path.Split('.', StringSplitOptions.RemoveEmptyEntries)
            .Aggregate(this, static (module, name) => module.Children.First(child => child.Name == name).Module);

    /// <summary>Runs the pre hooks, Forward and the forward hooks.</summary>
    public object? Call(object?[] args)
    {
        if (GlobalPreHooks.Entries.Length + GlobalForwardHooks.Entries.Length + PreHooks.Entries.Length + ForwardHooks.Entries.Length == 0)
        {
            return Forward(args);
        }
        var started = new HashSet<Entry<ForwardHook>>();
        object? output = null;
        try
        {
            foreach (var entry in GlobalPreHooks.Entries.Concat(PreHooks.Entries).ToArray())
            {
                args = entry.Hook(this, args) switch { null => args, object?[] all => all, var single => [single] };
            }
            output = Forward(args);
            foreach (var entry in GlobalForwardHooks.Entries.Concat(ForwardHooks.Entries).ToArray())
            {
                started.Add(entry);
                output = entry.Hook(this, args, output) ?? output;
            }
            return output;
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            output = Recover("global module", GlobalForwardHooks, args, output, started);
            Recover("module", ForwardHooks, args, output, started);
            throw;
        }
    }

    /// <summary>Runs the hooks with AlwaysCall that have not started. Their exceptions become warnings.</summary>
    private object? Recover(string owner, Hooks<ForwardHook> hooks, object?[] args, object? output, HashSet<Entry<ForwardHook>> started)
    {
        var entries = hooks.Entries;
        foreach (var entry in entries)
        {
            if (hooks.Entries != entries) throw new InvalidOperationException("The hooks were mutated during iteration.");
            if (!entry.AlwaysCall || started.Contains(entry)) continue;
            try
            {
                output = entry.Hook(this, args, output) ?? output;
            }
            catch (Exception error) when (error is not OperationCanceledException)
            {
                Warned?.Invoke($"{owner} forward hook with ``always_call=True`` threw: {error.Message}");
            }
        }
        return output;
    }
}
