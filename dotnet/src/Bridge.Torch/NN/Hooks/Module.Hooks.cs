using System.Runtime.CompilerServices;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class Module
        {
            private const string Mixed =
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them.";

            private List<WeakReference<RegisteredHook>> _registered = [];
            private bool? _isFullBackwardHook;

            /// <summary>
            /// Registers a forward pre hook on a module of any type: <c>hook(module, args)</c>. A return value other than null replaces the
            /// arguments (P-1, P-2).
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_pre_hook">
            /// torch.nn.Module.register_forward_pre_hook</see>.
            /// </remarks>
            /// <param name="hook">
            /// The hook. A tuple, list or dictionary among the arguments is a ValueTuple, a List or a Dictionary of objects.
            /// </param>
            /// <param name="prepend">Whether to run the hook before the existing forward pre hooks (O-2).</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="NotSupportedException">The module has no <c>call</c>, and no Python module represents it.</exception>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public Bridge.Torch.HookRemover register_forward_pre_hook(Func<Module, object?[], object?[]?> hook, bool prepend = false)
            {
                ArgumentNullException.ThrowIfNull(hook);
                return AddHook(UntypedHook.Pre(hook, prepend));
            }

            /// <summary>
            /// Registers a forward pre hook that also gets keyword arguments: <c>hook(module, args, kwargs)</c>. The hook returns null, or
            /// new args and kwargs (P-3), and may change <c>kwargs</c> in place (P-5). Calls from C# have no kwargs.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_pre_hook">
            /// torch.nn.Module.register_forward_pre_hook</see>.
            /// </remarks>
            /// <param name="hook">The hook.</param>
            /// <param name="with_kwargs">Must be true.</param>
            /// <param name="prepend">Whether to run the hook before the existing forward pre hooks (O-2).</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="ArgumentException"><paramref name="with_kwargs"/> is false.</exception>
            /// <exception cref="NotSupportedException">The module has no <c>call</c>, and no Python module represents it.</exception>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public Bridge.Torch.HookRemover register_forward_pre_hook(
                Func<Module, object?[], IDictionary<string, object?>, (object?[] args, IDictionary<string, object?> kwargs)?> hook,
                    bool with_kwargs, bool prepend = false)
            {
                CheckKwargs(hook, with_kwargs);
                return AddHook(UntypedHook.Pre(hook, prepend));
            }

            /// <summary>
            /// Registers a forward hook on a module of any type: <c>hook(module, args, output)</c>. A return value other than null replaces
            /// the result (F-1, F-2).
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook">
            /// torch.nn.Module.register_forward_hook</see>.
            /// </remarks>
            /// <param name="hook">The hook. Tuples, lists and dictionaries are ValueTuples, Lists and Dictionaries of objects.</param>
            /// <param name="prepend">Whether to run the hook before the existing forward hooks (O-2).</param>
            /// <param name="always_call">Whether the hook also runs when the call fails .</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="NotSupportedException">The module has no <c>call</c>, and no Python module represents it.</exception>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public Bridge.Torch.HookRemover register_forward_hook(Func<Module, object?[], object?, object?> hook, bool prepend = false,
                bool always_call = false)
            {
                ArgumentNullException.ThrowIfNull(hook);
                return AddHook(UntypedHook.Forward(hook, prepend, always_call));
            }

            /// <summary>
            /// Registers a forward hook that also gets keyword arguments: <c>hook(module, args, kwargs, output)</c>. Calls from C# have no
            /// kwargs.
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook">
            /// torch.nn.Module.register_forward_hook</see>.
            /// </remarks>
            /// <param name="hook">The hook.</param>
            /// <param name="with_kwargs">Must be true.</param>
            /// <param name="prepend">Whether to run the hook before the existing forward hooks (O-2).</param>
            /// <param name="always_call">Whether the hook also runs when the call fails .</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="ArgumentException"><paramref name="with_kwargs"/> is false.</exception>
            /// <exception cref="NotSupportedException">The module has no <c>call</c>, and no Python module represents it.</exception>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public Bridge.Torch.HookRemover register_forward_hook(
                Func<Module, object?[], IDictionary<string, object?>, object?, object?> hook, bool with_kwargs, bool prepend = false,
                    bool always_call = false)
            {
                CheckKwargs(hook, with_kwargs);
                return AddHook(UntypedHook.Forward(hook, prepend, always_call));
            }

            /// <summary>
            /// Registers a full backward pre hook: <c>hook(module, grad_output)</c> runs when the gradients of the module's outputs are
            /// known. A return value other than null replaces these gradients (B-1, B-13).
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html">
            /// torch.nn.Module.register_full_backward_pre_hook</see>.
            /// </remarks>
            /// <param name="hook">The hook. <c>grad_output</c> has an item for each output, null where there is no gradient.</param>
            /// <param name="prepend">Whether to run the hook before the existing full backward pre hooks (O-2).</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="NotSupportedException">
            /// There is no Python in the process; or the module has no <c>call</c>, and no Python module represents it.
            /// </exception>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public Bridge.Torch.HookRemover register_full_backward_pre_hook(Func<Module, Tensor?[], Tensor?[]?> hook, bool prepend = false)
            {
                ArgumentNullException.ThrowIfNull(hook);
                PythonHooks.Require(nameof(register_full_backward_pre_hook));
                return AddHook(UntypedHook.BackwardPre(hook, prepend));
            }

            /// <summary>
            /// Registers a full backward hook: <c>hook(module, grad_input, grad_output)</c> runs when the gradients of the module's inputs
            /// are known, or those of its outputs if no input requires a gradient. A return value other than null replaces
            /// <c>grad_input</c> (B-1, B-12).
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook">
            /// torch.nn.Module.register_full_backward_hook</see>.
            /// </remarks>
            /// <param name="hook">
            /// The hook. <c>grad_input</c> has an item for each positional argument, and <c>grad_output</c> for each output: null where
            /// there is no gradient.
            /// </param>
            /// <param name="prepend">Whether to run the hook before the existing full backward hooks (O-2).</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="NotSupportedException">
            /// There is no Python in the process; or the module has no <c>call</c>, and no Python module represents it.
            /// </exception>
            /// <exception cref="InvalidOperationException">
            /// A legacy backward hook was registered on the module (G-5). If a Python module represents the module, PyTorch's RuntimeError
            /// is thrown instead.
            /// </exception>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public Bridge.Torch.HookRemover register_full_backward_hook(Func<Module, Tensor?[], Tensor?[], Tensor?[]?> hook,
                bool prepend = false)
            {
                ArgumentNullException.ThrowIfNull(hook);
                PythonHooks.Require(nameof(register_full_backward_hook));
                CheckMixing(full: true);
                return AddHook(UntypedHook.Backward(hook, prepend));
            }

            /// <summary>
            /// Registers a legacy backward hook, which PyTorch has deprecated: <c>hook(module, grad_input, grad_output)</c>. The gradients
            /// are those of the operation that made the result: often only the last operation of <c>forward</c> (L-4).
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_backward_hook">
            /// torch.nn.Module.register_backward_hook</see>.
            /// </remarks>
            /// <param name="hook">The hook.</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="NotSupportedException">
            /// There is no Python in the process; or the module has no <c>call</c>, and no Python module represents it.
            /// </exception>
            /// <exception cref="InvalidOperationException">
            /// A full backward hook was registered on the module (G-5). If a Python module represents the module, PyTorch's RuntimeError
            /// is thrown instead.
            /// </exception>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public Bridge.Torch.HookRemover register_backward_hook(Func<Module, Tensor?[], Tensor?[], Tensor?[]?> hook)
            {
                ArgumentNullException.ThrowIfNull(hook);
                PythonHooks.Require(nameof(register_backward_hook));
                CheckMixing(full: false);
                return AddHook(UntypedHook.Backward(hook, legacy: true));
            }

            /// <summary>
            /// Gets the hooks registered on this object and not removed. They move into Python's hook dictionaries when a Python module is
            /// created that represents (mirrors) this module.
            /// </summary>
            internal IEnumerable<RegisteredHook> Registered
            {
                get
                {
                    lock (_registered)
                        return _registered.Select(item => item.TryGetTarget(out var hook) && hook.Registration is not null ? hook : null)
                            .OfType<RegisteredHook>().ToArray();
                }
            }

            /// <summary>Gives this copy of a mirrored module an empty list of hooks, in place of the original's list.</summary>
            internal virtual void ForgetHooks() => _registered = [];

            /// <exception cref="ArgumentException"><paramref name="withKwargs"/> is false.</exception>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            internal static void CheckKwargs(Delegate hook, bool withKwargs)
            {
                ArgumentNullException.ThrowIfNull(hook);
                if (!withKwargs)
                    throw new ArgumentException(
                        "This hook takes kwargs: register it with with_kwargs: true, or register a hook without kwargs.",
                        nameof(withKwargs));
            }

            /// <summary>Registers a hook in C#, or in Python if the module is mirrored or stands for a Python module.</summary>
            internal Bridge.Torch.HookRemover AddHook(RegisteredHook hook)
            {
                if (!TryAddInCSharp(hook)) hook.Registration = Link!.Register(hook);
                return new(hook);
            }

            /// <summary>Adds a hook to the C# registry, which calls of an unmirrored module use.</summary>
            private protected virtual IDisposable AddToRegistry(RegisteredHook hook) =>
                throw new NotSupportedException(
                    $"{GetType().Name} has no call, so no hook would run: register the hook on a module that has one (I-16).");

            // For a mirrored module, PyTorch makes this check.
            private void CheckMixing(bool full)
            {
                if (Link is not null) return;
                if (_isFullBackwardHook is { } other && other != full) throw new InvalidOperationException(Mixed);
                _isFullBackwardHook = full;
            }

            // Locked, because any thread may register. Link is set before the hooks move to Python, so that no hook is left behind.
            private bool TryAddInCSharp(RegisteredHook hook)
            {
                lock (_registered)
                {
                    if (Link is not null) return false;
                    hook.Registration = AddElsewhere(hook) ?? AddToRegistry(hook);
                    if (_registered.Count == _registered.Capacity) _registered.RemoveAll(item => !item.TryGetTarget(out _));
                    _registered.Insert(hook.Prepend ? 0 : _registered.Count, new(hook));
                    return true;
                }
            }

            /// <summary>Registers a hook in Python if this object stands for a Python module; returns null for a C# module.</summary>
            private protected virtual IDisposable? AddElsewhere(RegisteredHook hook) => null;
        }
    }
}
