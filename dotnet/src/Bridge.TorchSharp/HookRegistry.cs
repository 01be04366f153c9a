using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Hooks by PyTorch's rules on a TorchSharp model: an order that removals do not disturb, prepend, always_call, global hooks, snapshots.</summary>
/// <remarks>
/// <para>TorchSharp has one hook of ours before and one behind each <c>forward</c>, in front of its own; these run the lists that are here, by the same code
/// as Bridge.Torch's modules. The hooks of <see cref="GlobalHooks"/> run too, before a module's own.</para>
/// <para><c>call</c> itself is TorchSharp's, which runs nothing when it fails. So always-called hooks run where <see cref="Run{TResult}"/> is left by the
/// exception or, where the model catches it or nobody called <see cref="Run{TResult}"/>, at the thread's next event: innermost first in either case.</para>
/// </remarks>
public sealed class HookRegistry : IDisposable, IListening
{
    private static readonly ConditionalWeakTable<object, HookRegistry> Taken = [];
    private readonly ThreadLocal<Here> _here = new(() => new());
    private readonly Dictionary<object, ModuleHooks> _modules = new(ReferenceEqualityComparer.Instance);
    private readonly Attached _attached;
    private bool _disposed;

    private HookRegistry(object model)
    {
        _attached = new(model);
        var hooked = _attached.Modules.Where(node => node.Slots is not null).ToArray();
        lock (Taken)
        {
            if (hooked.FirstOrDefault(node => Taken.TryGetValue(node.Module, out _)) is { } other)
                throw new InvalidOperationException($"'{other.Path}' has a registry already, and its hooks would run twice: dispose that first.");
            foreach (var node in hooked) Taken.Add(node.Module, this);
        }

        _attached.Attach(this);
        AppDomain.CurrentDomain.FirstChanceException += Thrown;
    }

    /// <summary>Modules without hooks: those that cannot be hooked, such as <c>ModuleList</c>, and those that were registered since.</summary>
    public IReadOnlyList<UnhookedModule> Unhooked => _attached.Unhooked;

    /// <summary>The hooks of the module with this path; the root's is empty, and a shared module has several.</summary>
    /// <exception cref="KeyNotFoundException">There is none, or it cannot be hooked.</exception>
    public ModuleHooks this[string path]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(path);
            var node = _attached.Modules[0].Find(path) ?? throw new KeyNotFoundException($"The model had no module '{path}' when the registry was attached.");
            return _modules.TryGetValue(node.Module, out var found) ? found : throw new KeyNotFoundException($"{UnhookedModule.Of(node)}.");
        }
    }

    /// <summary>Attaches to every module of a model, each once.</summary>
    /// <param name="model">The model: any <c>torch.nn.Module</c>.</param>
    /// <returns>The registry. Disposed, it leaves the model as it was.</returns>
    /// <exception cref="ArgumentException"><paramref name="model"/> is not a module of TorchSharp.</exception>
    /// <exception cref="InvalidOperationException">One of its modules has a registry.</exception>
    public static HookRegistry Attach(object model) => new(model);

    /// <summary>The hooks of a module.</summary>
    /// <exception cref="KeyNotFoundException">It is not one of the model's that can be hooked.</exception>
    public ModuleHooks Of(object module) =>
        _modules.TryGetValue(module, out var found) ? found : throw new KeyNotFoundException($"The {module.GetType()} is no module of the model that can be hooked.");

    /// <summary>Runs a call of the model; when it fails, the always-called hooks that have not run yet run before the exception goes on .</summary>
    /// <param name="call">Such as <c>() => model.call(x)</c>.</param>
    public TResult Run<TResult>(Func<TResult> call)
    {
        ArgumentNullException.ThrowIfNull(call);
        var here = _here.Value!;
        var count = here.Open.Count;
        // Also where it returns: what was caught on the way has failed too.
        var run = true;
        try
        {
            return call();
        }
        catch (Exception exception) when (Passes(exception, out run))
        {
            throw; // Never reached: the filter says no.
        }
        finally
        {
            here.Recover(count, run);
            if (here.Open.IsDoubtful) here.Open.Settle(CallStack.Here());
        }
    }

    /// <summary>The model is as it was. Hooks that are registered here do not run any more.</summary>
    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        AppDomain.CurrentDomain.FirstChanceException -= Thrown;
        _attached.Dispose();
        lock (Taken)
        {
            foreach (var module in _modules.Keys) Taken.Remove(module);
        }
    }

    Listener<TArgs, TResult> IListening.Listen<TArgs, TResult>(ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result)
    {
        var hooks = new ModuleHooks(node);
        _modules.Add(node.Module, hooks);
        return new Caller<TArgs, TResult>(this, hooks, arguments);
    }

    // A filter that only looks: is it an error?
    private static bool Passes(Exception exception, out bool error)
    {
        error = !Interrupts.Carries(exception);
        return false;
    }

    private void Thrown(object? sender, FirstChanceExceptionEventArgs raised)
    {
        if (_here.IsValueCreated) _here.Value!.Thrown(raised.Exception);
    }

    private sealed class Caller<TArgs, TResult>(HookRegistry registry, ModuleHooks hooks, Arguments<TArgs> arguments) : Listener<TArgs, TResult>
    {
        internal override bool Entered(object module, ref TArgs args)
        {
            // A call that began before the registry was disposed.
            if (registry._disposed) return false;
            var here = registry._here.Value!;
            here.CheckAlive(entering: true);
            // C-5: no hook now, none in this call.
            if (Dispatcher.IsBare(hooks.Site))
            {
                here.Open.Push() = new(hooks, null);
                return false;
            }

            var call = new HookedCall { Args = arguments.Box(in args) };
            here.Open.Push() = new(hooks, call);
            Dispatcher.RunPreHooks(hooks, module, ref call.Args, ref call.State, null);
            args = arguments.Unbox(call.Args);
            return true;
        }

        internal override void Computed(object module, in TArgs args, ref TResult result)
        {
            if (registry._disposed) return;
            var here = registry._here.Value!;
            here.CheckAlive(entering: false);
            var last = here.Open.Count - 1;
            // It may have begun before the registry was there.
            if (last < 0 || here.Open[last].Hooks != hooks) return;
            if (here.Open[last].Call is { } call)
            {
                // TorchSharp's own pre hooks may have changed them.
                call.Args = arguments.Box(in args);
                call.Output = result;
                Dispatcher.RunForwardHooks(hooks, module, in call.Args, ref call.Output, ref call.State, null);
                if (!ReferenceEquals(call.Output, result) && call.Output is not null) result = ValueReader<TResult>.Unbox(call.Output);
                // What hooks called, and caught the exceptions of.
                here.Recover(last + 1, run: true);
                if (here.Open.IsDoubtful) here.Open.Settle(CallStack.OfHook().Without);
            }

            here.Open.Pop();
        }
    }

    // What a thread has of the registry.
    private sealed class Here
    {
        private bool _interrupted;

        internal OpenCalls<OpenCall> Open { get; } = new();

        internal void Thrown(Exception exception)
        {
            Open.Thrown();
            _interrupted = Interrupts.Carries(exception);
        }

        internal void CheckAlive(bool entering)
        {
            if (Open.IsDoubtful) Recover(Open.Alive(entering, static call => call.Hooks.Module.GetType()), run: !_interrupted);
        }

        // The innermost first. All are over before the first hook runs: hooks may call modules, and what those calls find open has to be what is
        // on the stack.
        internal void Recover(int count, bool run)
        {
            if (Open.Count <= count) return;
            var over = new OpenCall[Open.Count - count];
            for (var i = 0; i < over.Length; i++, Open.Pop()) over[i] = Open[Open.Count - 1];
            ExceptionDispatchInfo? replaced = null;
            foreach (var (hooks, call) in over)
            {
                if (!run || call is null) continue;
                try
                {
                    Dispatcher.Recover(hooks, hooks.Module, in call.Args, call.Output, in call.State);
                }
                catch (Exception exception) when (!Interrupts.Carries(exception))
                {
                    // A warning that somebody has made an error of goes on in its place, through the calls around.
                    replaced = ExceptionDispatchInfo.Capture(exception);
                }
            }

            replaced?.Throw();
        }
    }

    private sealed class HookedCall
    {
        internal object?[] Args = [];
        internal object? Output;
        internal Dispatcher.CallState<object?[], object?> State;
    }

    private readonly record struct OpenCall(ModuleHooks Hooks, HookedCall? Call);
}
