using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>
/// Hooks by PyTorch's rules for a TorchSharp model: in order of registration, with prepend, always_call and global hooks.
/// </summary>
/// <remarks>
/// <para>The registry adds one TorchSharp hook before and one after each <c>forward</c>, in front of TorchSharp's other hooks. These two
/// run the registry's hooks. <see cref="GlobalHooks"/> run before a module's own hooks.</para>
/// <para>TorchSharp's <c>call</c> runs no hook when it fails. So the registry runs the always-called hooks when the thread next enters or
/// leaves the <c>forward</c> of a hooked module, or when <see cref="Run{TResult}"/> ends. The hooks of inner calls run first.</para>
/// </remarks>
public sealed class HookRegistry : IDisposable, ICallListenerFactory
{
    private static readonly ConditionalWeakTable<object, HookRegistry> Attached = [];
    private readonly ThreadLocal<ThreadCalls> _threadCalls = new(() => new());
    private readonly Dictionary<object, ModuleHooks> _modules = new(ReferenceEqualityComparer.Instance);
    private readonly ModelAttachment _attachment;
    private bool _disposed;

    private HookRegistry(object model)
    {
        _attachment = new(model);
        var hooked = _attachment.Modules.Where(node => node.Hooks is not null).ToArray();
        lock (Attached)
        {
            if (hooked.FirstOrDefault(node => Attached.TryGetValue(node.Module, out _)) is { } other)
                throw new InvalidOperationException($"'{other.Path}' has a registry: dispose it first, or hooks would run twice.");
            foreach (var node in hooked) Attached.Add(node.Module, this);
        }

        _attachment.Attach(this);
        AppDomain.CurrentDomain.FirstChanceException += OnException;
    }

    /// <summary>
    /// Gets the modules to which the registry has added no hooks: those that cannot be hooked, such as <c>ModuleList</c>, and those that
    /// were registered later.
    /// </summary>
    public IReadOnlyList<UnhookedModule> Unhooked => _attachment.Unhooked;

    /// <summary>Gets the hooks of the module at a path; the root's path is empty, and a shared module has several paths.</summary>
    /// <exception cref="KeyNotFoundException">
    /// The model had no such module when the registry was attached, or the module cannot be hooked.
    /// </exception>
    public ModuleHooks this[string path]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(path);
            var node = _attachment.Modules[0].Find(path)
                ?? throw new KeyNotFoundException($"The model had no module '{path}' when the registry was attached.");
            if (_modules.TryGetValue(node.Module, out var found)) return found;
            throw new KeyNotFoundException($"{UnhookedModule.NotHookable(node)}.");
        }
    }

    /// <summary>Attaches a registry to a model. Every module that can be hooked gets hooks.</summary>
    /// <param name="model">The model: any <c>torch.nn.Module</c>.</param>
    /// <returns>The registry. Dispose it to remove its hooks from the model.</returns>
    /// <exception cref="ArgumentException"><paramref name="model"/> is not a module of TorchSharp.</exception>
    /// <exception cref="InvalidOperationException">A module of the model has a registry already.</exception>
    public static HookRegistry Attach(object model) => new(model);

    /// <summary>Returns the hooks of a module.</summary>
    /// <exception cref="KeyNotFoundException">
    /// The module was not in the model when the registry was attached, or cannot be hooked.
    /// </exception>
    public ModuleHooks Of(object module) =>
        _modules.TryGetValue(module, out var found)
            ? found
            : throw new KeyNotFoundException($"The {module.GetType()} is not a module of the model that can be hooked.");

    /// <summary>
    /// Calls the model. If the call fails, the remaining always-called hooks run before the exception propagates (clause A-3 of
    /// docs/contract.md).
    /// </summary>
    /// <param name="call">The call, such as <c>() => model.call(x)</c>.</param>
    public TResult Run<TResult>(Func<TResult> call)
    {
        ArgumentNullException.ThrowIfNull(call);
        var thread = _threadCalls.Value!;
        var count = thread.Open.Count;
        // Stays true if the call returns: the model may have caught exceptions of inner calls.
        var run = true;
        try
        {
            return call();
        }
        catch (Exception exception) when (NoteError(exception, out run))
        {
            throw; // Never reached: the filter returns false.
        }
        finally
        {
            thread.Recover(count, run);
            if (thread.Open.MayHaveEnded) thread.Open.Confirm(CallStack.Capture());
        }
    }

    /// <summary>Removes the hooks of this registry from the model.</summary>
    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        AppDomain.CurrentDomain.FirstChanceException -= OnException;
        _attachment.Dispose();
        lock (Attached)
        {
            foreach (var module in _modules.Keys) Attached.Remove(module);
        }
    }

    CallListener<TArgs, TResult> ICallListenerFactory.CreateListener<TArgs, TResult>(
        ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result)
    {
        var hooks = new ModuleHooks(node);
        _modules.Add(node.Module, hooks);
        return new HookRunner<TArgs, TResult>(this, hooks, arguments);
    }

    // For an exception filter: catches nothing, and sets whether the exception is an error, not an interrupt.
    private static bool NoteError(Exception exception, out bool error)
    {
        error = !InterruptCheck.IsInterrupt(exception);
        return false;
    }

    private void OnException(object? sender, FirstChanceExceptionEventArgs raised)
    {
        if (_threadCalls.IsValueCreated) _threadCalls.Value!.OnException(raised.Exception);
    }

    private sealed class HookRunner<TArgs, TResult>(HookRegistry registry, ModuleHooks hooks, Arguments<TArgs> arguments)
        : CallListener<TArgs, TResult>
    {
        internal override bool Entered(object module, ref TArgs args)
        {
            // The call began before the registry was disposed.
            if (registry._disposed) return false;
            var thread = registry._threadCalls.Value!;
            thread.CheckAlive(entering: true);
            // A call that begins without hooks runs no hook, even if one is registered during the call (C-5).
            if (Dispatcher.IsBare(hooks.Site))
            {
                thread.Open.Push() = new(hooks, null);
                return false;
            }

            var call = new HookedCall { Args = arguments.Box(in args) };
            thread.Open.Push() = new(hooks, call);
            Dispatcher.RunPreHooks(hooks, module, ref call.Args, ref call.State, null);
            args = arguments.Unbox(call.Args);
            return true;
        }

        internal override void Computed(object module, in TArgs args, ref TResult result)
        {
            if (registry._disposed) return;
            var thread = registry._threadCalls.Value!;
            thread.CheckAlive(entering: false);
            var last = thread.Open.Count - 1;
            // The call may have begun before the registry was attached.
            if (last < 0 || thread.Open[last].Hooks != hooks) return;
            if (thread.Open[last].Call is { } call)
            {
                // TorchSharp's own pre hooks may have replaced the arguments.
                call.Args = arguments.Box(in args);
                call.Output = result;
                Dispatcher.RunForwardHooks(hooks, module, in call.Args, ref call.Output, ref call.State, null);
                if (!ReferenceEquals(call.Output, result) && call.Output is not null) result = ValueReader<TResult>.Unbox(call.Output);
                // Ends calls that a hook made and whose exceptions the hook caught.
                thread.Recover(last + 1, run: true);
                if (thread.Open.MayHaveEnded) thread.Open.Confirm(CallStack.CaptureOutsideHook().Without);
            }

            thread.Open.Pop();
        }
    }

    private sealed class ThreadCalls
    {
        private bool _interrupted;

        internal OpenCalls<OpenCall> Open { get; } = new();

        internal void OnException(Exception exception)
        {
            Open.OnException();
            _interrupted = InterruptCheck.IsInterrupt(exception);
        }

        internal void CheckAlive(bool entering)
        {
            if (Open.MayHaveEnded) Recover(Open.CountAlive(entering, static call => call.Hooks.Module.GetType()), run: !_interrupted);
        }

        // Runs the always-called hooks of ended calls, innermost first. All ended calls are closed before the first hook runs: a hook may
        // call modules, whose hooks compare the open calls with the stack.
        internal void Recover(int count, bool run)
        {
            if (Open.Count <= count) return;
            var ended = new OpenCall[Open.Count - count];
            for (var i = 0; i < ended.Length; i++, Open.Pop()) ended[i] = Open[Open.Count - 1];
            ExceptionDispatchInfo? replaced = null;
            foreach (var (hooks, call) in ended)
            {
                if (!run || call is null) continue;
                try
                {
                    Dispatcher.Recover(hooks, hooks.Module, in call.Args, call.Output, in call.State);
                }
                catch (Exception exception) when (!InterruptCheck.IsInterrupt(exception))
                {
                    // An always-called hook failed, and a handler of HookWarnings.Raised threw this exception. It replaces the original
                    // exception, also for outer calls.
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
