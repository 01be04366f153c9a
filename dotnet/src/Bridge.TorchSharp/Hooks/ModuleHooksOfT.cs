using Bridge.Hooks;
using TorchSharp;

namespace Bridge.TorchSharp;

/// <summary>The hooks of a module of one argument, with its types. They are the same hooks as those of its path.</summary>
/// <typeparam name="T">The type of the argument.</typeparam>
/// <typeparam name="TResult">The type of the result.</typeparam>
public sealed class ModuleHooks<T, TResult> : ModuleHooks
{
    internal ModuleHooks(ModuleHooks hooks) : base(hooks) { }

    /// <summary>Registers a hook that runs before <c>forward</c>.</summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">Whether the hook runs before the module's other hooks.</param>
    /// <returns>A handle that removes the hook.</returns>
    public HookHandle OnPreForward(Action<torch.nn.Module<T, TResult>, T> hook, bool prepend = false) =>
        OnPreForward<torch.nn.Module<T, TResult>, T>(hook, prepend);

    /// <inheritdoc cref="OnPreForward(Action{torch.nn.Module{T, TResult}, T}, bool)"/>
    /// <summary>Registers a hook that runs before <c>forward</c> and returns the argument that <c>forward</c> gets.</summary>
    public HookHandle OnPreForward(Func<torch.nn.Module<T, TResult>, T, T> hook, bool prepend = false) =>
        OnPreForward<torch.nn.Module<T, TResult>, T>(hook, prepend);

    /// <inheritdoc cref="OnPreForward(Action{torch.nn.Module{T, TResult}, T}, bool)"/>
    /// <summary>Registers a hook that runs after <c>forward</c>.</summary>
    public HookHandle OnForward(Action<torch.nn.Module<T, TResult>, T, TResult> hook, bool prepend = false) =>
        OnForward<torch.nn.Module<T, TResult>, T, TResult>(hook, prepend);

    /// <inheritdoc cref="OnPreForward(Action{torch.nn.Module{T, TResult}, T}, bool)"/>
    /// <summary>Registers a hook that runs after <c>forward</c> and returns the result that the caller gets.</summary>
    public HookHandle OnForward(Func<torch.nn.Module<T, TResult>, T, TResult, TResult> hook, bool prepend = false) =>
        OnForward<torch.nn.Module<T, TResult>, T, TResult>(hook, prepend);

    /// <inheritdoc cref="ModuleHooks.OnBackward"/>
    public HookHandle OnBackward(
        Action<torch.nn.Module<T, TResult>, IReadOnlyList<torch.Tensor?>, IReadOnlyList<torch.Tensor?>> hook, bool prepend = false) =>
        OnBackward<torch.nn.Module<T, TResult>>(hook, prepend);
}

/// <summary>The hooks of a module of two arguments, with its types. They are the same hooks as those of its path.</summary>
/// <typeparam name="T1">The type of the first argument.</typeparam>
/// <typeparam name="T2">The type of the second argument.</typeparam>
/// <typeparam name="TResult">The type of the result.</typeparam>
public sealed class ModuleHooks<T1, T2, TResult> : ModuleHooks
{
    internal ModuleHooks(ModuleHooks hooks) : base(hooks) { }

    /// <inheritdoc cref="ModuleHooks{T, TResult}.OnPreForward(Action{torch.nn.Module{T, TResult}, T}, bool)"/>
    public HookHandle OnPreForward(Action<torch.nn.Module<T1, T2, TResult>, T1, T2> hook, bool prepend = false) =>
        OnPreForward<torch.nn.Module<T1, T2, TResult>, T1, T2>(hook, prepend);

    /// <inheritdoc cref="ModuleHooks{T, TResult}.OnForward(Action{torch.nn.Module{T, TResult}, T, TResult}, bool)"/>
    public HookHandle OnForward(Action<torch.nn.Module<T1, T2, TResult>, T1, T2, TResult> hook, bool prepend = false) =>
        OnForward<torch.nn.Module<T1, T2, TResult>, T1, T2, TResult>(hook, prepend);

    /// <inheritdoc cref="ModuleHooks.OnBackward"/>
    public HookHandle OnBackward(
        Action<torch.nn.Module<T1, T2, TResult>, IReadOnlyList<torch.Tensor?>, IReadOnlyList<torch.Tensor?>> hook, bool prepend = false) =>
        OnBackward<torch.nn.Module<T1, T2, TResult>>(hook, prepend);
}
