using System.Runtime.CompilerServices;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>The part of a callable module that does not depend on its arity.</summary>
        /// <typeparam name="TPreHook">The type of a pre hook that gets the arguments one by one.</typeparam>
        /// <typeparam name="TPostHook">The type of a forward hook that gets the arguments one by one.</typeparam>
        public partial class HookableModule<TPreHook, TPostHook> : Module
        {
            /// <summary>Creates the part of a module that registers hooks.</summary>
            /// <param name="name">The name, which <see cref="Module.GetName"/> returns.</param>
            protected HookableModule(string name) : base(name) { }

            /// <summary>Creates nothing: there are no native modules here that could have hooks.</summary>
            /// <param name="handle">The handle of a native module.</param>
            /// <param name="boxedHandle">The handle of a boxed native module.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            protected HookableModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <inheritdoc/>
            public class HookRemover : Bridge.Torch.HookRemover
            {
                private readonly WeakReference<HookableModule<TPreHook, TPostHook>>? _module;
                private readonly string? _key;

                internal HookRemover(RegisteredHook hook) : base(hook) { }

                /// <summary>Creates a remover of the hook, if any, that one of the module's dictionaries shows under a key.</summary>
                /// <param name="module">The module, which the remover does not keep alive.</param>
                /// <param name="key">The key in the dictionary.</param>
                public HookRemover(HookableModule<TPreHook, TPostHook> module, string key) : base(null) =>
                    (_module, _key) = (new(module), key);

                private protected override RegisteredHook? Hook =>
                    _module is null ? base.Hook : _module.TryGetTarget(out var module) ? module.FindHook(_key!) : null;
            }

            /// <summary>Registers a forward hook, after the existing forward hooks.</summary>
            /// <param name="hook">
            /// The hook: <c>hook(module, arguments, result)</c>. A return value other than null replaces the result.
            /// </param>
            /// <returns>The handle that removes the hook.</returns>
            public HookRemover register_forward_hook(TPostHook hook) => register_forward_hook(hook, false);

            /// <summary>Registers a forward hook that gets only the module, after the existing forward hooks.</summary>
            /// <param name="hook">The hook: <c>hook(module)</c>.</param>
            /// <returns>The handle that removes the hook.</returns>
            public HookRemover register_forward_hook(Action<Module> hook) => register_forward_hook(hook, false);

            /// <summary>Registers a pre hook, after the existing pre hooks.</summary>
            /// <param name="hook">The hook: <c>hook(module, arguments)</c>. A return value other than null replaces the arguments.</param>
            /// <returns>The handle that removes the hook.</returns>
            public HookRemover register_forward_pre_hook(TPreHook hook) => register_forward_pre_hook(hook, false);

            /// <summary>Registers a pre hook that gets only the module, after the existing pre hooks.</summary>
            /// <param name="hook">The hook: <c>hook(module)</c>.</param>
            /// <returns>The handle that removes the hook.</returns>
            public HookRemover register_forward_pre_hook(Action<Module> hook) => register_forward_pre_hook(hook, false);

            /// <summary>
            /// Registers a forward hook: <c>hook(module, arguments, result)</c> runs after <c>forward</c> in each <c>call</c>. A return
            /// value other than null replaces the result (F-1, F-2).
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook">
            /// torch.nn.Module.register_forward_hook</see>.
            /// </remarks>
            /// <param name="hook">The hook.</param>
            /// <param name="prepend">Whether to run the hook before the existing forward hooks (O-2), not after (O-1).</param>
            /// <param name="always_call">Whether the hook also runs when the call fails .</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            /// <exception cref="NotSupportedException">
            /// The class derives from no <c>Module&lt;…&gt;</c>, or has replaced a dictionary of hooks, such as <see cref="post_hooks"/>.
            /// </exception>
            public HookRemover register_forward_hook(TPostHook hook, bool prepend = false, bool always_call = false)
            {
                ArgumentNullException.ThrowIfNull(hook);
                return AddHook(ForwardHook((Delegate)(object)hook, prepend, always_call));
            }

            /// <summary>Registers a forward hook that gets only the module.</summary>
            /// <param name="hook">The hook: <c>hook(module)</c>.</param>
            /// <param name="prepend">Whether to run the hook before the existing forward hooks (O-2), not after (O-1).</param>
            /// <param name="always_call">Whether the hook also runs when the call fails .</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            /// <exception cref="NotSupportedException">
            /// The class derives from no <c>Module&lt;…&gt;</c>, or has replaced a dictionary of hooks, such as <see cref="post_hooks"/>.
            /// </exception>
            public HookRemover register_forward_hook(Action<Module> hook, bool prepend = false, bool always_call = false)
            {
                ArgumentNullException.ThrowIfNull(hook);
                return AddHook(ForwardHook(hook, prepend, always_call));
            }

            /// <summary>
            /// Registers a pre hook: <c>hook(module, arguments)</c> runs before <c>forward</c> in each <c>call</c>. A return value other
            /// than null replaces the arguments (P-1, P-2).
            /// </summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_pre_hook">
            /// torch.nn.Module.register_forward_pre_hook</see>.
            /// </remarks>
            /// <param name="hook">The hook.</param>
            /// <param name="prepend">Whether to run the hook before the existing pre hooks (O-2), not after (O-1).</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            /// <exception cref="NotSupportedException">
            /// The class derives from no <c>Module&lt;…&gt;</c>, or has replaced a dictionary of hooks, such as <see cref="pre_hooks"/>.
            /// </exception>
            public HookRemover register_forward_pre_hook(TPreHook hook, bool prepend = false)
            {
                ArgumentNullException.ThrowIfNull(hook);
                return AddHook(PreHook((Delegate)(object)hook, prepend));
            }

            /// <summary>Registers a pre hook that gets only the module.</summary>
            /// <param name="hook">The hook: <c>hook(module)</c>.</param>
            /// <param name="prepend">Whether to run the hook before the existing pre hooks (O-2), not after (O-1).</param>
            /// <returns>The handle that removes the hook.</returns>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            /// <exception cref="NotSupportedException">
            /// The class derives from no <c>Module&lt;…&gt;</c>, or has replaced a dictionary of hooks, such as <see cref="pre_hooks"/>.
            /// </exception>
            public HookRemover register_forward_pre_hook(Action<Module> hook, bool prepend = false)
            {
                ArgumentNullException.ThrowIfNull(hook);
                return AddHook(PreHook(hook, prepend));
            }

            internal override bool HasCall => true;

            private protected virtual RegisteredHook ForwardHook(Delegate hook, bool prepend, bool alwaysCall) => throw NotCallable();

            private protected virtual RegisteredHook PreHook(Delegate hook, bool prepend) => throw NotCallable();

            private NotSupportedException NotCallable() => new($"{GetType().Name} derives from no Module<…>, so no call of it runs hooks.");

            private new HookRemover AddHook(RegisteredHook hook)
            {
                CheckHookFields();
                base.AddHook(hook);
                List(hook);
                return new HookRemover(hook);
            }
        }

        public partial class Module
        {
            /// <summary>Gets the parameters of <c>forward</c>; null for a module that cannot be called.</summary>
            internal virtual IReadOnlyList<ForwardParameter>? Parameters => ForwardOverloads.Of(GetType())?.Parameters;

            /// <summary>Gets whether the module has a <c>call</c> in C#, which fires hooks and is recorded.</summary>
            internal virtual bool HasCall => false;

            /// <summary>Calls <c>forward</c>. The arguments and the result are plain values (see <see cref="Tuples"/>).</summary>
            internal virtual object? Invoke(object?[] arguments) => ForwardOverloads.Of(GetType()) is { } own
                ? own.Invoke(this, arguments)
                : throw new NotSupportedException($"{GetType().Name} has no forward and cannot be called (I-16).");

            /// <summary>Gets whether C# can run the module's hooks without Python, if all are C# hooks.</summary>
            internal virtual bool DispatchesInCSharp => false;

            /// <summary>Runs the module's hooks and <c>forward</c>. Returns a plain value, as <see cref="Invoke"/> does.</summary>
            /// <param name="arguments">The arguments from Python.</param>
            /// <param name="plan">The module's hooks.</param>
            internal virtual object? CallHooked(object?[] arguments, HookPlan plan) => throw new NotSupportedException();

            /// <summary>
            /// Stores the module from which an exception came, unless an inner module is stored already. Serves as an exception filter and
            /// always returns false.
            /// </summary>
            internal static bool NoteFailingModule(Exception exception, Module module)
            {
                FailingModules.TryAdd(exception, module);
                return false;
            }

            internal static readonly ConditionalWeakTable<Exception, Module> FailingModules = [];
        }
    }
}
