using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// Registers a forward pre hook of every module, C#'s and PyTorch's: <c>hook(module, args)</c>. A return value other than null
        /// replaces the arguments. The hook runs before the modules' own pre hooks (O-1).
        /// </summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_forward_pre_hook.html">
        /// torch.nn.modules.module.register_module_forward_pre_hook</see>.
        /// </remarks>
        /// <param name="hook">The hook.</param>
        /// <returns>The handle that removes the hook.</returns>
        /// <exception cref="ArgumentNullException">The hook is null.</exception>
        public static Bridge.Torch.HookRemover register_module_forward_pre_hook(Func<Module, object?[], object?[]?> hook)
        {
            ArgumentNullException.ThrowIfNull(hook);
            return AddHook(UntypedHook.Pre(hook), made => GlobalHooks.Pre.Add((object module, ref object?[] args) =>
            {
                if (made.Invoke((Module)module, [args.Select(Tuples.Unpack).ToArray()]) is object?[] changed) args = changed;
            }));
        }

        /// <summary>
        /// Registers a forward hook of every module: <c>hook(module, args, output)</c>. A return value other than null replaces the result.
        /// </summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_forward_hook.html">
        /// torch.nn.modules.module.register_module_forward_hook</see>.
        /// </remarks>
        /// <param name="hook">The hook.</param>
        /// <param name="always_call">Whether the hook also runs when the call fails .</param>
        /// <returns>The handle that removes the hook.</returns>
        /// <exception cref="ArgumentNullException">The hook is null.</exception>
        public static Bridge.Torch.HookRemover register_module_forward_hook(Func<Module, object?[], object?, object?> hook,
            bool always_call = false)
        {
            ArgumentNullException.ThrowIfNull(hook);
            return AddHook(UntypedHook.Forward(hook, alwaysCall: always_call), made => Forward(made, values => values, changed => changed));
        }

        /// <summary>Registers a forward hook of every module. The hook also gets keyword arguments.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_forward_hook.html">
        /// torch.nn.modules.module.register_module_forward_hook</see>.
        /// </remarks>
        /// <param name="hook">The hook: <c>hook(module, args, kwargs, output)</c>.</param>
        /// <param name="with_kwargs">Must be true.</param>
        /// <param name="always_call">Whether the hook also runs when the call fails .</param>
        /// <returns>The handle that removes the hook.</returns>
        /// <exception cref="ArgumentNullException">The hook is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="with_kwargs"/> is false.</exception>
        public static Bridge.Torch.HookRemover register_module_forward_hook(
            Func<Module, object?[], IDictionary<string, object?>, object?, object?> hook, bool with_kwargs, bool always_call = false)
        {
            Module.CheckKwargs(hook, with_kwargs);
            return AddHook(UntypedHook.Forward(hook, false, always_call),
                made => Forward(made, values => [values[0], new DictOfValues([]), values[1]], changed => (changed as object?[])?[0]));
        }

        /// <summary>Registers a full backward pre hook of every module; see <see cref="Module.register_full_backward_pre_hook"/>.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_full_backward_pre_hook.html">
        /// torch.nn.modules.module.register_module_full_backward_pre_hook</see>.
        /// </remarks>
        /// <param name="hook">The hook: <c>hook(module, grad_output)</c>.</param>
        /// <returns>The handle that removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="ArgumentNullException">The hook is null.</exception>
        public static Bridge.Torch.HookRemover register_module_full_backward_pre_hook(Func<Module, Tensor?[], Tensor?[]?> hook)
        {
            ArgumentNullException.ThrowIfNull(hook);
            PythonHooks.Require(nameof(register_module_full_backward_pre_hook));
            return AddHook(UntypedHook.BackwardPre(hook), null);
        }

        /// <summary>Registers a full backward hook of every module; see <see cref="Module.register_full_backward_hook"/>.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_full_backward_hook.html">
        /// torch.nn.modules.module.register_module_full_backward_hook</see>.
        /// </remarks>
        /// <param name="hook">The hook: <c>hook(module, grad_input, grad_output)</c>.</param>
        /// <returns>The handle that removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="ArgumentNullException">The hook is null.</exception>
        public static Bridge.Torch.HookRemover register_module_full_backward_hook(Func<Module, Tensor?[], Tensor?[], Tensor?[]?> hook)
        {
            ArgumentNullException.ThrowIfNull(hook);
            PythonHooks.Require(nameof(register_module_full_backward_hook));
            return AddHook(UntypedHook.Backward(hook), null);
        }

        /// <summary>Registers a legacy backward hook of every module; see <see cref="Module.register_backward_hook"/>.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_backward_hook.html">
        /// torch.nn.modules.module.register_module_backward_hook</see>.
        /// </remarks>
        /// <param name="hook">The hook: <c>hook(module, grad_input, grad_output)</c>.</param>
        /// <returns>The handle that removes the hook.</returns>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        /// <exception cref="ArgumentNullException">The hook is null.</exception>
        public static Bridge.Torch.HookRemover register_module_backward_hook(Func<Module, Tensor?[], Tensor?[], Tensor?[]?> hook)
        {
            ArgumentNullException.ThrowIfNull(hook);
            PythonHooks.Require(nameof(register_module_backward_hook));
            return AddHook(UntypedHook.Backward(hook, legacy: true), null);
        }

        // If Python is in the process, the hook becomes an entry of a global hook dictionary of PyTorch. Otherwise, `register` adds the
        // hook in C#.
        private static Bridge.Torch.HookRemover AddHook(RegisteredHook hook, Func<RegisteredHook, IDisposable>? register)
        {
            hook.Registration = PythonHooks.Current is { } python ? python.Register(hook) : register!(hook);
            return new(hook);
        }

        private static HookHandle Forward(RegisteredHook hook, Func<object?[], object?[]> given, Func<object?, object?> result) =>
            GlobalHooks.Forward.Add((object module, in object?[] args, ref object? output) =>
                output = result(hook.Invoke((Module)module, given([args.Select(Tuples.Unpack).ToArray(), Tuples.Unpack(output)])))
                    ?? output, alwaysCall: hook.AlwaysCall);
    }
}
