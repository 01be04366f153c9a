using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Bridge.Hooks;
using TorchSharp;

namespace Bridge.TorchSharp;

/// <summary>
/// Runs hooks on a TorchSharp model by PyTorch's rules: in order of registration, with prepend, always_call and global hooks.
/// </summary>
/// <remarks>
/// <para>The registry adds one TorchSharp hook before and one after each <c>forward</c>, in front of TorchSharp's other hooks. These two
/// run the registry's hooks. <see cref="GlobalHooks"/> run before a module's own hooks.</para>
/// <para>TorchSharp's <c>call</c> runs no hook when it fails. So the registry runs the always-called hooks when the thread next enters or
/// leaves the <c>forward</c> of a hooked module, or when <see cref="Run{TResult}"/> ends. The hooks of inner calls run first.</para>
/// </remarks>
public sealed class HookRegistry : IDisposable
{
    private static readonly ConditionalWeakTable<object, HookRegistry> Attached = [];
    private readonly Dictionary<object, ModuleHooks> _modules = new(ReferenceEqualityComparer.Instance);
    private readonly ModelAttachment _attachment;
    private readonly CallTracker _tracker;
    private bool _disposed;

    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    private HookRegistry(object model)
    {
        _attachment = new(model);
        var hooked = _attachment.Modules.Where(node => node.Hooks is not null).ToArray();
        lock (Attached)
        {
            if (hooked.FirstOrDefault(node => Attached.TryGetValue(node.Module, out _)) is { } other)
            {
                var module = other.Path.Length == 0 ? "The model" : $"'{other.Path}'";
                throw new InvalidOperationException(
                    $"{module} has a registry already: dispose that registry first, or hooks would run twice.");
            }

            foreach (var node in hooked) Attached.Add(node.Module, this);
        }

        _tracker = new(_attachment, node => _modules[node.Module] = new(node));
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
    /// <param name="model">The model: any <c>torch.nn.Module</c> of TorchSharp itself.</param>
    /// <returns>The registry. Dispose it to remove its hooks from the model.</returns>
    /// <exception cref="ArgumentException"><paramref name="model"/> is not a module of TorchSharp.</exception>
    /// <exception cref="NotSupportedException">
    /// <paramref name="model"/> runs on Bridge.Torch, or on an unknown version of TorchSharp.
    /// </exception>
    /// <exception cref="InvalidOperationException">A module of the model has a registry already.</exception>
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    public static HookRegistry Attach(object model) => new(model);

    /// <summary>Returns the hooks of a module.</summary>
    /// <exception cref="KeyNotFoundException">
    /// The module was not in the model when the registry was attached, or cannot be hooked.
    /// </exception>
    public ModuleHooks Of(object module)
    {
        ArgumentNullException.ThrowIfNull(module);
        if (_modules.TryGetValue(module, out var found)) return found;
        throw new KeyNotFoundException(
            $"This {module.GetType()} was not in the model when the registry was attached, or cannot be hooked.");
    }

    /// <inheritdoc cref="Of(object)"/>
    /// <summary>
    /// Returns the hooks of a module of one argument, with its types: <c>hooks.Of(model.fc1).OnForward((module, input, output) => …)</c>.
    /// </summary>
    public ModuleHooks<T, TResult> Of<T, TResult>(torch.nn.Module<T, TResult> module) => new(Of((object)module));

    /// <inheritdoc cref="Of(object)"/>
    /// <summary>Returns the hooks of a module of two arguments, with its types.</summary>
    public ModuleHooks<T1, T2, TResult> Of<T1, T2, TResult>(torch.nn.Module<T1, T2, TResult> module) => new(Of((object)module));

    /// <summary>
    /// Calls the model. If the call fails with an error, not an interrupt (clause A-4 of docs/contract.md), the remaining always-called
    /// hooks run before the exception propagates. An exception of a backward hook propagates as the hook has thrown it (B-21).
    /// </summary>
    /// <param name="call">The call, such as <c>() => model.call(x)</c>.</param>
    public TResult Run<TResult>(Func<TResult> call)
    {
        ArgumentNullException.ThrowIfNull(call);
        return BackwardFailure.Run(() => _tracker.Run(call));
    }

    /// <inheritdoc cref="Run{TResult}(Func{TResult})"/>
    /// <param name="call">The call, such as <c>() => loss.backward()</c>.</param>
    public void Run(Action call)
    {
        ArgumentNullException.ThrowIfNull(call);
        Run(() =>
        {
            call();
            return true;
        });
    }

    /// <summary>Removes the hooks of this registry from the model.</summary>
    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        _tracker.Dispose();
        lock (Attached)
        {
            foreach (var module in _modules.Keys) Attached.Remove(module);
        }
    }
}
