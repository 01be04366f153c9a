namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public interface IModule<T, TResult>
        {
            TResult call(T input);
        }

        /// <summary>A module with one argument. <c>forward</c> fires no hook (rule 33).</summary>
        public abstract class Module<T, TResult>(string name)
            : HookableModule<Func<Module<T, TResult>, T, T>, Func<Module<T, TResult>, T, TResult, TResult>>(name), IModule<T, TResult>
        {
            public abstract TResult forward(T input);

            /// <summary>
            /// The order of rule 8. Each loop reads its dictionary when it begins, and no earlier: a hook that was added before that fires, whether there
            /// was any at the entry or not (rule 26). An exception skips what is left (rule 30).
            /// </summary>
            public TResult call(T input)
            {
                foreach (var hook in module_pre_hooks.Values) hook(this);
                // Null keeps, and what no null can be always counts (rules 14 and 17).
                foreach (var hook in pre_hooks.Values)
                    if (hook(this, input) is { } changed) input = changed;
                var result = forward(input);
                foreach (var hook in post_hooks.Values)
                    if (hook(this, input, result) is { } changed) result = changed;
                foreach (var hook in module_post_hooks.Values) hook(this);
                return result;
            }
        }

        public interface IModule<T1, T2, TResult>
        {
            TResult call(T1 input1, T2 input2);
        }

        /// <summary>A module with two arguments: a pre hook gives back all of them or null (rules 3 and 15).</summary>
        public abstract class Module<T1, T2, TResult>(string name)
            : HookableModule<Func<Module<T1, T2, TResult>, T1, T2, (T1, T2)?>, Func<Module<T1, T2, TResult>, T1, T2, TResult, TResult>>(name), IModule<T1, T2, TResult>
        {
            public abstract TResult forward(T1 input1, T2 input2);

            public TResult call(T1 input1, T2 input2)
            {
                foreach (var hook in module_pre_hooks.Values) hook(this);
                foreach (var hook in pre_hooks.Values)
                    if (hook(this, input1, input2) is { } changed) (input1, input2) = changed;
                var result = forward(input1, input2);
                foreach (var hook in post_hooks.Values)
                    if (hook(this, input1, input2, result) is { } changed) result = changed;
                foreach (var hook in module_post_hooks.Values) hook(this);
                return result;
            }
        }

        public interface IModule<T1, T2, T3, TResult>
        {
            TResult call(T1 input1, T2 input2, T3 input3);
        }

        public abstract class Module<T1, T2, T3, TResult>(string name)
            : HookableModule<Func<Module<T1, T2, T3, TResult>, T1, T2, T3, (T1, T2, T3)?>, Func<Module<T1, T2, T3, TResult>, T1, T2, T3, TResult, TResult>>(name), IModule<T1, T2, T3, TResult>
        {
            public abstract TResult forward(T1 input1, T2 input2, T3 input3);

            public TResult call(T1 input1, T2 input2, T3 input3)
            {
                foreach (var hook in module_pre_hooks.Values) hook(this);
                foreach (var hook in pre_hooks.Values)
                    if (hook(this, input1, input2, input3) is { } changed) (input1, input2, input3) = changed;
                var result = forward(input1, input2, input3);
                foreach (var hook in post_hooks.Values)
                    if (hook(this, input1, input2, input3, result) is { } changed) result = changed;
                foreach (var hook in module_post_hooks.Values) hook(this);
                return result;
            }
        }

        public interface IModule<T1, T2, T3, T4, TResult>
        {
            TResult call(T1 input1, T2 input2, T3 input3, T4 input4);
        }

        public abstract class Module<T1, T2, T3, T4, TResult>(string name)
            : HookableModule<Func<Module<T1, T2, T3, T4, TResult>, T1, T2, T3, T4, (T1, T2, T3, T4)?>, Func<Module<T1, T2, T3, T4, TResult>, T1, T2, T3, T4, TResult, TResult>>(name), IModule<T1, T2, T3, T4, TResult>
        {
            public abstract TResult forward(T1 input1, T2 input2, T3 input3, T4 input4);

            public TResult call(T1 input1, T2 input2, T3 input3, T4 input4)
            {
                foreach (var hook in module_pre_hooks.Values) hook(this);
                foreach (var hook in pre_hooks.Values)
                    if (hook(this, input1, input2, input3, input4) is { } changed) (input1, input2, input3, input4) = changed;
                var result = forward(input1, input2, input3, input4);
                foreach (var hook in post_hooks.Values)
                    if (hook(this, input1, input2, input3, input4, result) is { } changed) result = changed;
                foreach (var hook in module_post_hooks.Values) hook(this);
                return result;
            }
        }

        public interface IModule<T1, T2, T3, T4, T5, TResult>
        {
            TResult call(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5);
        }

        public abstract class Module<T1, T2, T3, T4, T5, TResult>(string name)
            : HookableModule<Func<Module<T1, T2, T3, T4, T5, TResult>, T1, T2, T3, T4, T5, (T1, T2, T3, T4, T5)?>, Func<Module<T1, T2, T3, T4, T5, TResult>, T1, T2, T3, T4, T5, TResult, TResult>>(name), IModule<T1, T2, T3, T4, T5, TResult>
        {
            public abstract TResult forward(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5);

            public TResult call(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5)
            {
                foreach (var hook in module_pre_hooks.Values) hook(this);
                foreach (var hook in pre_hooks.Values)
                    if (hook(this, input1, input2, input3, input4, input5) is { } changed) (input1, input2, input3, input4, input5) = changed;
                var result = forward(input1, input2, input3, input4, input5);
                foreach (var hook in post_hooks.Values)
                    if (hook(this, input1, input2, input3, input4, input5, result) is { } changed) result = changed;
                foreach (var hook in module_post_hooks.Values) hook(this);
                return result;
            }
        }

        public interface IModule<T1, T2, T3, T4, T5, T6, TResult>
        {
            TResult call(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5, T6 input6);
        }

        public abstract class Module<T1, T2, T3, T4, T5, T6, TResult>(string name)
            : HookableModule<Func<Module<T1, T2, T3, T4, T5, T6, TResult>, T1, T2, T3, T4, T5, T6, (T1, T2, T3, T4, T5, T6)?>, Func<Module<T1, T2, T3, T4, T5, T6, TResult>, T1, T2, T3, T4, T5, T6, TResult, TResult>>(name), IModule<T1, T2, T3, T4, T5, T6, TResult>
        {
            public abstract TResult forward(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5, T6 input6);

            public TResult call(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5, T6 input6)
            {
                foreach (var hook in module_pre_hooks.Values) hook(this);
                foreach (var hook in pre_hooks.Values)
                    if (hook(this, input1, input2, input3, input4, input5, input6) is { } changed) (input1, input2, input3, input4, input5, input6) = changed;
                var result = forward(input1, input2, input3, input4, input5, input6);
                foreach (var hook in post_hooks.Values)
                    if (hook(this, input1, input2, input3, input4, input5, input6, result) is { } changed) result = changed;
                foreach (var hook in module_post_hooks.Values) hook(this);
                return result;
            }
        }
    }
}
