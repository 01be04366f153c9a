using Bridge.Hooks;
using TorchSharp;

namespace Bridge.TorchSharp;

/// <content>Hooks with the types of the module, its arguments and its result.</content>
public partial class ModuleHooks
{
    private readonly Type[] _forwardTypes;

    /// <summary>
    /// Registers a hook that runs before <c>forward</c>, for a module of one argument:
    /// <c>hooks.Of(model.fc1).OnPreForward((Linear module, Tensor input) => …)</c>.
    /// </summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">Whether the hook runs before the module's other hooks.</param>
    /// <returns>A handle that removes the hook.</returns>
    /// <exception cref="ArgumentException">The module, or its <c>forward</c>, has other types than the hook.</exception>
    public HookHandle OnPreForward<TModule, T>(Action<TModule, T> hook, bool prepend = false)
    {
        Check(hook, typeof(TModule), [typeof(T)]);
        return register_forward_pre_hook((object module, ref object?[] args) => hook((TModule)module, (T)args[0]!), prepend);
    }

    /// <inheritdoc cref="OnPreForward{TModule, T}(Action{TModule, T}, bool)"/>
    /// <summary>Registers a hook that runs before <c>forward</c> and returns the argument that <c>forward</c> gets.</summary>
    public HookHandle OnPreForward<TModule, T>(Func<TModule, T, T> hook, bool prepend = false)
    {
        Check(hook, typeof(TModule), [typeof(T)], returns: true);
        return register_forward_pre_hook((object module, ref object?[] args) => args = [hook((TModule)module, (T)args[0]!)], prepend);
    }

    /// <inheritdoc cref="OnPreForward{TModule, T}(Action{TModule, T}, bool)"/>
    /// <summary>Registers a hook that runs before <c>forward</c>, for a module of two arguments.</summary>
    public HookHandle OnPreForward<TModule, T1, T2>(Action<TModule, T1, T2> hook, bool prepend = false)
    {
        Check(hook, typeof(TModule), [typeof(T1), typeof(T2)]);
        return register_forward_pre_hook(
            (object module, ref object?[] args) => hook((TModule)module, (T1)args[0]!, (T2)args[1]!), prepend);
    }

    /// <summary>
    /// Registers a hook that runs after <c>forward</c>, for a module of one argument:
    /// <c>hooks.Of(model.fc1).OnForward((Linear module, Tensor input, Tensor output) => …)</c>.
    /// </summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">Whether the hook runs before the module's other hooks.</param>
    /// <returns>A handle that removes the hook.</returns>
    /// <exception cref="ArgumentException">The module, or its <c>forward</c>, has other types than the hook.</exception>
    public HookHandle OnForward<TModule, T, TResult>(Action<TModule, T, TResult> hook, bool prepend = false)
    {
        Check(hook, typeof(TModule), [typeof(T)], typeof(TResult));
        return register_forward_hook(
            (object module, in object?[] args, ref object? output) => hook((TModule)module, (T)args[0]!, (TResult)output!), prepend);
    }

    /// <inheritdoc cref="OnForward{TModule, T, TResult}(Action{TModule, T, TResult}, bool)"/>
    /// <summary>Registers a hook that runs after <c>forward</c> and returns the result that the caller gets.</summary>
    public HookHandle OnForward<TModule, T, TResult>(Func<TModule, T, TResult, TResult> hook, bool prepend = false)
    {
        Check(hook, typeof(TModule), [typeof(T)], typeof(TResult), returns: true);
        return register_forward_hook(
            (object module, in object?[] args, ref object? output) =>
                output = hook((TModule)module, (T)args[0]!, (TResult)output!),
            prepend);
    }

    /// <inheritdoc cref="OnForward{TModule, T, TResult}(Action{TModule, T, TResult}, bool)"/>
    /// <summary>Registers a hook that runs after <c>forward</c>, for a module of two arguments.</summary>
    public HookHandle OnForward<TModule, T1, T2, TResult>(Action<TModule, T1, T2, TResult> hook, bool prepend = false)
    {
        Check(hook, typeof(TModule), [typeof(T1), typeof(T2)], typeof(TResult));
        return register_forward_hook(
            (object module, in object?[] args, ref object? output) =>
                hook((TModule)module, (T1)args[0]!, (T2)args[1]!, (TResult)output!),
            prepend);
    }

    /// <summary>
    /// Registers a hook that sees the gradients of the arguments and of the result in the backward pass, and replaces none; see
    /// <see cref="BackwardHook"/>.
    /// </summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">Whether the hook runs before the module's other hooks.</param>
    /// <returns>A handle that removes the hook.</returns>
    /// <exception cref="NotSupportedException">The module's TorchSharp has no autograd functions.</exception>
    private protected HookHandle OnBackward<TModule>(
        Action<TModule, IReadOnlyList<torch.Tensor?>, IReadOnlyList<torch.Tensor?>> hook, bool prepend)
    {
        ArgumentNullException.ThrowIfNull(hook);
        return register_full_backward_hook(
            (module, gradInput, gradOutput) =>
            {
                hook((TModule)module, gradInput, gradOutput);
                return null;
            },
            prepend);
    }

    // A hook may declare base types, except for a value that it returns.
    private void Check(Delegate hook, Type module, Type[] arguments, Type? result = null, bool returns = false)
    {
        ArgumentNullException.ThrowIfNull(hook);
        var declared = result is null ? _forwardTypes[..^1] : _forwardTypes;
        Type[] wanted = result is null ? arguments : [.. arguments, result];
        var fits = module.IsInstanceOfType(Module) && declared.Length == wanted.Length
            && declared.Zip(wanted).All(pair => pair.Second.IsAssignableFrom(pair.First))
            && (!returns || declared[^1].IsAssignableFrom(wanted[^1]));
        if (fits) return;
        var types = string.Join(", ", _forwardTypes[..^1].Select(type => type.Name));
        throw new ArgumentException(
            $"{(Path.Length == 0 ? "The root" : $"'{Path}'")} is a {Module.GetType().Name} with {_forwardTypes[^1].Name} forward({types}): "
                + $"a hook of a {module.Name} with {string.Join(", ", wanted.Select(type => type.Name))} does not fit.",
            nameof(hook));
    }
}
