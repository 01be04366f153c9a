using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The hooks of a module in a <see cref="HookRegistry"/>.</summary>
/// <remarks>
/// A hook gets the arguments as an array and the result as an object. The arguments and the result that the hook assigns must have the
/// types that <c>forward</c> declares, and the number of arguments cannot change. If <c>forward</c> has one argument and a hook replaces
/// the argument by null, TorchSharp keeps the old argument.
/// </remarks>
public partial class ModuleHooks : IHookTarget<object?[], object?>, ITrackedModule
{
    internal ModuleHooks(ModuleNode node)
    {
        Path = node.Path;
        Module = node.Module;
        _forwardTypes = node.Hooks!.ForwardTypes;
        Site = new();
        Backward = new();
    }

    // The same hooks.
    private protected ModuleHooks(ModuleHooks hooks) =>
        (Path, Module, _forwardTypes, Site, Backward) = (hooks.Path, hooks.Module, hooks._forwardTypes, hooks.Site, hooks.Backward);

    /// <summary>Gets the module's path; empty for the root.</summary>
    public string Path { get; }

    /// <summary>Gets the module, which hooks get as their first argument.</summary>
    public object Module { get; }

    internal HookSite<object?[], object?> Site { get; }

    internal BackwardSite Backward { get; }

    HookSite<object?[], object?>? IHookTarget<object?[], object?>.Site => Site;

    /// <summary>Registers a hook that runs before <c>forward</c> (clauses P-1, P-2 and P-6 of docs/contract.md).</summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">Whether the hook runs before the module's other hooks.</param>
    /// <returns>A handle that removes the hook.</returns>
    public HookHandle register_forward_pre_hook(PreHook<object?[]> hook, bool prepend = false) => Site.Pre.Add(hook, prepend);

    /// <summary>Registers a hook that runs after <c>forward</c> (clauses F-1 … F-3 of docs/contract.md).</summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">Whether the hook runs before the module's other hooks.</param>
    /// <param name="always_call">Whether the hook also runs when the call fails (A-1 … ).</param>
    /// <returns>A handle that removes the hook.</returns>
    public HookHandle register_forward_hook(ForwardHook<object?[], object?> hook, bool prepend = false, bool always_call = false) =>
        Site.Forward.Add(hook, prepend, always_call);

    /// <summary>
    /// Registers a hook that runs in the backward pass, when the gradients of the result are known (B-1, B-13). It sees the calls that
    /// begin from now on, and runs in their graphs even after it was removed.
    /// </summary>
    /// <param name="hook">The hook, which may return other gradients of the result.</param>
    /// <param name="prepend">Whether the hook runs before the module's other hooks.</param>
    /// <returns>A handle that removes the hook.</returns>
    /// <exception cref="NotSupportedException">The module's TorchSharp has no autograd functions.</exception>
    public HookHandle register_full_backward_pre_hook(BackwardPreHook hook, bool prepend = false)
    {
        BackwardSite.Require(Module);
        return Backward.Pre.Add(hook, prepend);
    }

    /// <summary>
    /// Registers a hook that runs in the backward pass, when the gradients of the arguments are known (B-1, B-12). It sees the calls that
    /// begin from now on, and runs in their graphs even after it was removed.
    /// </summary>
    /// <param name="hook">The hook, which may return other gradients of the arguments.</param>
    /// <param name="prepend">Whether the hook runs before the module's other hooks.</param>
    /// <returns>A handle that removes the hook.</returns>
    /// <exception cref="NotSupportedException">The module's TorchSharp has no autograd functions.</exception>
    public HookHandle register_full_backward_hook(BackwardHook hook, bool prepend = false)
    {
        BackwardSite.Require(Module);
        return Backward.Full.Add(hook, prepend);
    }

    // Never called: TorchSharp runs `forward`.
    object? IHookTarget<object?[], object?>.Forward(object?[] args) => throw new NotSupportedException();

    object?[] IHookTarget<object?[], object?>.Box(object?[] args) => [.. args];

    object?[] IHookTarget<object?[], object?>.Unbox(object?[] args) => args;

    object? IHookTarget<object?[], object?>.BoxResult(object? result) => result;

    object? IHookTarget<object?[], object?>.UnboxResult(object? result) => result;

    TrackedCall? ITrackedModule.BeginCall() => Backward.IsEmpty && Dispatcher.IsBare(Site) ? null : new HookedCall(this);

    private sealed class HookedCall(ModuleHooks hooks) : TrackedCall
    {
        private readonly BackwardCall? _backward = hooks.Backward.IsEmpty ? null : new(hooks);
        private Dispatcher.CallState<object?[], object?> _state;

        internal override void RunPreHooks()
        {
            Dispatcher.RunPreHooks(hooks, hooks.Module, ref Args, ref _state, null);
            if (_backward is not null) Args = _backward.TapArguments(Args, Given);
        }

        internal override void RunForwardHooks()
        {
            Dispatcher.RunForwardHooks(hooks, hooks.Module, in Args, ref Output, ref _state, null);
            if (_backward is not null) Output = _backward.TapResult(Output);
        }

        internal override void Recover() => Dispatcher.Recover(hooks, hooks.Module, in Args, Output, in _state);
    }
}
