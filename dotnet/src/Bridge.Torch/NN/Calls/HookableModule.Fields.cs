using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <content>
        /// The dictionaries of hooks that a subclass can read. The dispatcher does not use them: it runs the hooks of a registry, or of
        /// Python's dictionaries.
        /// </content>
        public partial class HookableModule<TPreHook, TPostHook>
        {
            private const string PreMethod = nameof(register_forward_pre_hook);
            private const string PostMethod = nameof(register_forward_hook);

            /// <summary>
            /// The pre hooks that C# registered and that get the arguments one by one. A subclass can enumerate and clear the dictionary;
            /// cleared hooks no longer run. To add a hook, it calls <c>register_forward_pre_hook</c>. Hooks that Python registered, and
            /// untyped ones, are not shown.
            /// </summary>
            protected Dictionary<string, TPreHook> pre_hooks = NewField<TPreHook>(nameof(pre_hooks), PreMethod);

            /// <summary>The forward hooks that get arguments and result; see <see cref="pre_hooks"/>.</summary>
            protected Dictionary<string, TPostHook> post_hooks = NewField<TPostHook>(nameof(post_hooks), PostMethod);

            /// <summary>The pre hooks that get only the module; see <see cref="pre_hooks"/>.</summary>
            protected Dictionary<string, Action<Module>> module_pre_hooks = NewField<Action<Module>>(nameof(module_pre_hooks), PreMethod);

            /// <summary>The forward hooks that get only the module; see <see cref="pre_hooks"/>.</summary>
            protected Dictionary<string, Action<Module>> module_post_hooks =
                NewField<Action<Module>>(nameof(module_post_hooks), PostMethod);

            private HookListing? _listing;

            /// <summary>
            /// Returns whether a subclass has taken a hook out of the dictionary that showed it. If so, the hook is removed and must not
            /// run.
            /// </summary>
            internal bool IsTakenOut(RegisteredHook hook)
            {
                if (_listing is not { } listing || CountShown() == listing.Count) return false;
                CheckHookFields();
                return RemoveTakenOut(listing).Contains(hook);
            }

            internal override void CheckHookFields()
            {
                Check<TPreHook>(pre_hooks, nameof(pre_hooks), PreMethod);
                Check<TPostHook>(post_hooks, nameof(post_hooks), PostMethod);
                Check<Action<Module>>(module_pre_hooks, nameof(module_pre_hooks), PreMethod);
                Check<Action<Module>>(module_post_hooks, nameof(module_post_hooks), PostMethod);

                void Check<THook>(object? field, string name, string method)
                {
                    if (field is HookDictionary<THook>) return;
                    throw new NotSupportedException(
                        $"{GetType().Name} replaces the dictionary in its field '{name}', but hooks run from another list: register them "
                        + $"by {method}.");
                }
            }

            internal override void ForgetHooks()
            {
                base.ForgetHooks();
                _listing = null;
                pre_hooks = NewField<TPreHook>(nameof(pre_hooks), PreMethod);
                post_hooks = NewField<TPostHook>(nameof(post_hooks), PostMethod);
                module_pre_hooks = NewField<Action<Module>>(nameof(module_pre_hooks), PreMethod);
                module_post_hooks = NewField<Action<Module>>(nameof(module_post_hooks), PostMethod);
            }

            /// <summary>Returns the hook that a dictionary shows under a key; null if there is none.</summary>
            internal RegisteredHook? FindHook(string key)
            {
                if (_listing is not { } listing) return null;
                lock (listing) return listing.Find(key);
            }

            // Shows a registered hook in its dictionary until the hook is removed.
            private void List(RegisteredHook hook)
            {
                Interlocked.CompareExchange(ref _listing, new HookListing(), null);
                if (CountShown() != _listing.Count) RemoveTakenOut(_listing);
                lock (_listing) Show(_listing.Add(hook, hook.Target, FieldOf(hook)), _listing);

                // The hook does not keep the module alive (H-2).
                var here = new WeakReference<HookableModule<TPreHook, TPostHook>>(this);
                hook.Removed = () =>
                {
                    if (here.TryGetTarget(out var module)) module.Unlist(hook);
                };
                // The hook was removed meanwhile.
                if (hook.Registration is null) Unlist(hook);
            }

            // Removes the hooks that a subclass has taken out of the dictionaries. Releases the lock first: to remove a hook, Python's GIL
            // is needed, whose holder may wait for the lock.
            private List<RegisteredHook> RemoveTakenOut(HookListing listing)
            {
                List<RegisteredHook> taken;
                lock (listing) taken = listing.TakeMissing(IsShown);
                taken.ForEach(hook => hook.Remove());
                return taken;
            }

            private void Unlist(RegisteredHook hook)
            {
                if (_listing is not { } listing) return;
                CheckHookFields();
                lock (listing)
                    if (listing.Remove(hook) is { } field) Show(field, listing);
            }

            private void Show(int field, HookListing listing)
            {
                switch (field)
                {
                    case 0: ((HookDictionary<TPreHook>)pre_hooks).Show(listing.Of(0)); break;
                    case 1: ((HookDictionary<TPostHook>)post_hooks).Show(listing.Of(1)); break;
                    case 2: ((HookDictionary<Action<Module>>)module_pre_hooks).Show(listing.Of(2)); break;
                    default: ((HookDictionary<Action<Module>>)module_post_hooks).Show(listing.Of(3)); break;
                }
            }

            private static int FieldOf(RegisteredHook hook) => (hook.IsForward ? 1 : 0) + (hook.Target is Action<Module> ? 2 : 0);

            private int CountShown() => Count(pre_hooks) + Count(post_hooks) + Count(module_pre_hooks) + Count(module_post_hooks);

            private bool IsShown(int field, string key) => field switch
            {
                0 => ((HookDictionary<TPreHook>)pre_hooks).Shows(key),
                1 => ((HookDictionary<TPostHook>)post_hooks).Shows(key),
                2 => ((HookDictionary<Action<Module>>)module_pre_hooks).Shows(key),
                _ => ((HookDictionary<Action<Module>>)module_post_hooks).Shows(key),
            };

            // A field that a subclass has replaced counts as changed.
            private static int Count<THook>(Dictionary<string, THook>? field) =>
                field is HookDictionary<THook> own ? own.Count : -1 << 20;

            private static HookDictionary<THook> NewField<THook>(string name, string method) => new(name, method);
        }

        public partial class Module
        {
            /// <summary>Checks that a subclass has not replaced the dictionaries that show its hooks.</summary>
            /// <exception cref="NotSupportedException">A subclass has replaced one of them.</exception>
            internal virtual void CheckHookFields() { }
        }
    }
}
