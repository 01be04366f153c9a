namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// The hooks: four dictionaries (rule 23) under keys that are new each time (rule 9). Nothing is locked (rule 31). The order is a dictionary's:
        /// that of registration until one was removed, whose slot the next one takes (rule 10).
        /// </summary>
        public class HookableModule<TPreHook, TPostHook> : Module
            where TPreHook : Delegate
            where TPostHook : Delegate
        {
            protected Dictionary<string, TPreHook> pre_hooks = [];
            protected Dictionary<string, TPostHook> post_hooks = [];
            protected Dictionary<string, Action<Module>> module_pre_hooks = [];
            protected Dictionary<string, Action<Module>> module_post_hooks = [];

            protected HookableModule(string name) : base(name) { }

            /// <summary>The same delegate twice fires twice, and null is found when it is called (rule 12).</summary>
            public HookRemover register_forward_hook(TPostHook hook) => Registered(post_hooks, hook);

            public HookRemover register_forward_pre_hook(TPreHook hook) => Registered(pre_hooks, hook);

            public HookRemover register_forward_hook(Action<Module> hook) => Registered(module_post_hooks, hook);

            public HookRemover register_forward_pre_hook(Action<Module> hook) => Registered(module_pre_hooks, hook);

            // A hook that was added while its dictionary is run through stays, whatever the loop throws then (field notes 3).
            private HookRemover Registered<THook>(Dictionary<string, THook> hooks, THook hook)
            {
                var key = Guid.NewGuid().ToString();
                hooks.Add(key, hook);
                return new HookRemover(this, key);
            }

            // From the fields as they are now (rule 24), and without a word where the key is not there (rule 21).
            private void Remove(string key)
            {
                pre_hooks.Remove(key);
                post_hooks.Remove(key);
                module_pre_hooks.Remove(key);
                module_post_hooks.Remove(key);
            }

            /// <summary>What a registration gives (rule 20). Dropping it removes nothing (rule 22).</summary>
            public class HookRemover(HookableModule<TPreHook, TPostHook> module, string key)
            {
                public void remove() => module.Remove(key);
            }
        }
    }
}
