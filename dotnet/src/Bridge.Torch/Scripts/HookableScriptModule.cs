using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class jit
    {
        /// <summary>A module in TorchScript whose hooks get arguments and results of known types.</summary>
        /// <typeparam name="TPreHook">The type of a pre hook.</typeparam>
        /// <typeparam name="TPostHook">The type of a forward hook.</typeparam>
        public class HookableScriptModule<TPreHook, TPostHook> : ScriptModule
        {
            /// <summary>The pre hooks that C# registered; see <see cref="nn.HookableModule{TPreHook, TPostHook}.pre_hooks"/>.</summary>
            protected Dictionary<string, TPreHook> pre_hooks = new HookDictionary<TPreHook>(nameof(pre_hooks), PreMethod);

            /// <summary>The forward hooks that C# registered; see <see cref="pre_hooks"/>.</summary>
            protected Dictionary<string, TPostHook> post_hooks = new HookDictionary<TPostHook>(nameof(post_hooks), PostMethod);

            private const string PreMethod = nameof(register_forward_pre_hook);
            private const string PostMethod = nameof(register_forward_hook);
            private HookListing _listing = new();

            internal HookableScriptModule(ScriptDescription description) : base(description) { }

            /// <summary>Removes a hook of a script module.</summary>
            public class HookRemover
            {
                private readonly WeakReference<HookableScriptModule<TPreHook, TPostHook>> _module;
                private readonly string _key;

                /// <summary>Creates the remover of the hook that one of the module's dictionaries shows under a key.</summary>
                /// <param name="module">The module, which the remover does not keep alive.</param>
                /// <param name="key">The key in the dictionary.</param>
                public HookRemover(HookableScriptModule<TPreHook, TPostHook> module, string key) => (_module, _key) = (new(module), key);

                /// <summary>Removes the hook from the script module; does nothing if it is removed already.</summary>
                public void remove()
                {
                    if (!_module.TryGetTarget(out var module)) return;
                    RegisteredHook? hook;
                    lock (module._listing) hook = module._listing.Find(_key);
                    hook?.Remove();
                }
            }

            /// <summary>
            /// Registers a forward hook, which runs after <c>forward</c> in each <c>call</c>. A return value other than null replaces the
            /// result.
            /// </summary>
            /// <param name="hook">The hook: <c>hook(module, arguments, result)</c>.</param>
            /// <returns>The remover of the hook.</returns>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public HookRemover register_forward_hook(TPostHook hook)
            {
                ArgumentNullException.ThrowIfNull(hook);
                return Register(
                    UntypedHook.Forward((module, args, result) => RunPostHook(module, hook, args, result)), (Delegate)(object)hook, 1);
            }

            /// <summary>
            /// Registers a pre hook, which runs before <c>forward</c> in each <c>call</c>. A return value other than null replaces the
            /// arguments.
            /// </summary>
            /// <param name="hook">The hook: <c>hook(module, arguments)</c>.</param>
            /// <returns>The remover of the hook.</returns>
            /// <exception cref="ArgumentNullException">The hook is null.</exception>
            public HookRemover register_forward_pre_hook(TPreHook hook)
            {
                ArgumentNullException.ThrowIfNull(hook);
                return Register(UntypedHook.Pre((module, args) => RunPreHook(module, hook, args)), (Delegate)(object)hook, 0);
            }

            internal override void ForgetHooks()
            {
                base.ForgetHooks();
                _listing = new();
                pre_hooks = new HookDictionary<TPreHook>(nameof(pre_hooks), PreMethod);
                post_hooks = new HookDictionary<TPostHook>(nameof(post_hooks), PostMethod);
            }

            /// <summary>Runs a pre hook on the arguments of <c>call</c>; returns the new ones, or null.</summary>
            private protected virtual object?[]? RunPreHook(nn.Module module, TPreHook hook, object?[] args) =>
                throw new NotSupportedException();

            /// <summary>Runs a forward hook; returns the new result, or null.</summary>
            private protected virtual object? RunPostHook(nn.Module module, TPostHook hook, object?[] args, object? result) =>
                throw new NotSupportedException();

            private protected static T To<T>(object? value) => ScriptValues.Result<T>(Tuples.Unpack(value));

            private HookRemover Register(RegisteredHook hook, Delegate shown, int field)
            {
                AddHook(hook);
                string key;
                lock (_listing)
                {
                    Show(_listing.Add(hook, shown, field));
                    key = _listing.KeyOf(hook);
                }

                var here = new WeakReference<HookableScriptModule<TPreHook, TPostHook>>(this);
                hook.Removed = () =>
                {
                    if (here.TryGetTarget(out var module)) module.Unlist(hook);
                };
                if (hook.Registration is null) Unlist(hook);
                return new(this, key);
            }

            private void Unlist(RegisteredHook hook)
            {
                lock (_listing)
                    if (_listing.Remove(hook) is { } field) Show(field);
            }

            private void Show(int field)
            {
                if (field == 0) ((HookDictionary<TPreHook>)pre_hooks).Show(_listing.Of(0));
                else ((HookDictionary<TPostHook>)post_hooks).Show(_listing.Of(1));
            }
        }
    }
}
