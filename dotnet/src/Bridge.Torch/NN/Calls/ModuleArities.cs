using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>A module whose <c>call</c> takes one argument.</summary>
        public interface IModule<T, TResult>
        {
            /// <summary>Calls the module: hooks, if it has any, and <c>forward</c>.</summary>
            /// <param name="input1">The argument.</param>
            /// <returns>The result.</returns>
            TResult call(T input1);
        }

        /// <summary>A module with one argument.</summary>
        public abstract class Module<T, TResult>
            : CallableModule<T, TResult, Func<Module<T, TResult>, T, T>, Func<Module<T, TResult>, T, TResult, TResult>>, IModule<T, TResult>
        {
            /// <summary>Creates a module with one argument.</summary>
            /// <param name="name">The name, which <see cref="Module.GetName"/> returns.</param>
            protected Module(string name) : base(name) { }

            /// <summary>Creates nothing: there are no native modules to wrap in a module with one argument.</summary>
            /// <param name="handle">The handle of a native module.</param>
            /// <param name="boxedHandle">The handle of a boxed native module.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            protected Module(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <summary>Computes the result. A direct call fires none of the module's hooks (C-3): use <c>call</c>.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward">
            /// torch.nn.Module.forward</see>.
            /// </remarks>
            /// <param name="input">The argument.</param>
            /// <returns>The result.</returns>
            public abstract TResult forward(T input);

            /// <summary>Calls the module as PyTorch's <c>__call__</c> does: pre hooks, <c>forward</c>, forward hooks (C-6).</summary>
            /// <param name="input">The argument.</param>
            /// <returns>The result, after the forward hooks.</returns>
            public TResult call(T input)
            {
                try
                {
                    ThreadStack.Check(this);
                    return IsDirect ? forward(input) : CallFromFrame(input, out _);
                }
                catch (Exception exception) when (NoteFailingModule(exception, this))
                {
                    throw; // never reached: the filter returns false
                }
            }

            /// <summary>Calls the module from a Sequential.</summary>
            /// <param name="input">The argument.</param>
            /// <param name="isUnshared">
            /// True if nothing has kept the input or the result during this call: the module is a built-in that keeps no tensor, and no
            /// hook could keep them.
            /// </param>
            internal TResult CallInSequential(T input, out bool isUnshared)
            {
                isUnshared = false;
                try
                {
                    return CallFromFrame(input, out isUnshared);
                }
                catch (Exception exception) when (NoteFailingModule(exception, this))
                {
                    throw; // never reached: the filter returns false
                }
            }

            // Large tensors that nothing uses after the call are freed (DisposeScope.EndUse).
            private TResult CallFromFrame(T input, out bool isUnshared)
            {
                var scopes = DisposeScopeManager.ForThread;
                var (frame, keptBefore) = (scopes.Frame, scopes.KeepsArgument);
                (scopes.Frame, scopes.KeepsArgument) = (null, false);
                TResult result;
                if (IsUnhooked)
                {
                    isUnshared = RetainsNothing;
                    result = NeedsScope ? ForwardInScope(input) : forward(input);
                }
                else
                {
                    result = CallObserved(input, out var valuesUnread);
                    isUnshared = valuesUnread && RetainsNothing;
                    scopes.KeepsArgument |= !isUnshared;
                    // A recording or hook may have the result.
                    if (!isUnshared && result is Tensor { Large: { } large }) large.IsUsedOnce = false;
                }

                scopes.Frame = frame;
                if (input is Tensor argument)
                {
                    var isLarge = argument.Large is not null;
                    if (isLarge) scopes.KeepsArgument = scopes.KeepsArgument || MayKeepArgument;
                    frame?.EndUse(argument, result, isUnshared, scopes.KeepsArgument);
                    isUnshared |= isLarge && !scopes.KeepsArgument && result is Tensor { Large.IsUsedOnce: true };
                }

                scopes.KeepsArgument |= keptBefore;
                return result;
            }

            private protected sealed override TResult InvokeForward(T args) => forward(args);

            private protected sealed override object?[] BoxArgs(T args) => [args];

            private protected sealed override T UnboxArgs(object?[] args) => Tuples<T>.Pack(args.Single());

            private protected sealed override void RunPreHook(Func<Module<T, TResult>, T, T> hook, ref T args)
            {
                if (hook(this, args) is { } changed) args = changed;
            }

            private protected sealed override void RunPostHook(Func<Module<T, TResult>, T, TResult, TResult> hook, T args,
                ref TResult result)
            {
                if (hook(this, args, result) is { } changed) result = changed;
            }
        }

        /// <summary>A module whose <c>call</c> takes two arguments.</summary>
        public interface IModule<T1, T2, TResult>
        {
            /// <summary>Calls the module: hooks, if it has any, and <c>forward</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <returns>The result.</returns>
            TResult call(T1 input1, T2 input2);
        }

        /// <summary>A module with two arguments.</summary>
        public abstract class Module<T1, T2, TResult>
            : CallableModule<(T1, T2), TResult, Func<Module<T1, T2, TResult>, T1, T2, (T1, T2)?>,
            Func<Module<T1, T2, TResult>, T1, T2, TResult, TResult>>, IModule<T1, T2, TResult>
        {
            /// <summary>Creates a module with two arguments.</summary>
            /// <param name="name">The name, which <see cref="Module.GetName"/> returns.</param>
            protected Module(string name) : base(name) { }

            /// <summary>Creates nothing: there are no native modules to wrap in a module with two arguments.</summary>
            /// <param name="handle">The handle of a native module.</param>
            /// <param name="boxedHandle">The handle of a boxed native module.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            protected Module(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <summary>Computes the result. A direct call fires none of the module's hooks (C-3): use <c>call</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <returns>The result.</returns>
            public abstract TResult forward(T1 input1, T2 input2);

            /// <summary>Calls the module as PyTorch's <c>__call__</c> does: pre hooks, <c>forward</c>, forward hooks (C-6).</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <returns>The result, after the forward hooks.</returns>
            public TResult call(T1 input1, T2 input2)
            {
                try
                {
                    ThreadStack.Check(this);
                    if (IsDirect) return forward(input1, input2);
                    var frame = DisposeScopeManager.ForThread.LeaveFrame();
                    var result = !IsUnhooked ? CallObserved((input1, input2))
                        : NeedsScope ? ForwardInScope((input1, input2)) : forward(input1, input2);
                    DisposeScopeManager.ForThread.ReturnToFrame(frame);
                    return result;
                }
                catch (Exception exception) when (NoteFailingModule(exception, this))
                {
                    throw; // never reached: the filter returns false
                }
            }

            private protected sealed override TResult InvokeForward((T1, T2) args) => forward(args.Item1, args.Item2);

            // The members below are not sealed, unlike those of the other arities: recurrent layers override them for packed sequences.
            private protected override object?[] BoxArgs((T1, T2) args) => [args.Item1, args.Item2];

            private protected override (T1, T2) UnboxArgs(object?[] args) => Tuples<(T1, T2)>.Pack(args);

            private protected override void RunPreHook(Func<Module<T1, T2, TResult>, T1, T2, (T1, T2)?> hook, ref (T1, T2) args)
            {
                if (hook(this, args.Item1, args.Item2) is { } changed) args = changed;
            }

            private protected override void RunPostHook(Func<Module<T1, T2, TResult>, T1, T2, TResult, TResult> hook, (T1, T2) args,
                ref TResult result)
            {
                if (hook(this, args.Item1, args.Item2, result) is { } changed) result = changed;
            }
        }

        /// <summary>A module whose <c>call</c> takes three arguments.</summary>
        public interface IModule<T1, T2, T3, TResult>
        {
            /// <summary>Calls the module: hooks, if it has any, and <c>forward</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <returns>The result.</returns>
            TResult call(T1 input1, T2 input2, T3 input3);
        }

        /// <summary>A module with three arguments.</summary>
        public abstract class Module<T1, T2, T3, TResult>
            : CallableModule<(T1, T2, T3), TResult,
            Func<Module<T1, T2, T3, TResult>, T1, T2, T3, (T1, T2, T3)?>, Func<Module<T1, T2, T3, TResult>, T1, T2, T3, TResult, TResult>>,
            IModule<T1, T2, T3, TResult>
        {
            /// <summary>Creates a module with three arguments.</summary>
            /// <param name="name">The name, which <see cref="Module.GetName"/> returns.</param>
            protected Module(string name) : base(name) { }

            /// <summary>Creates nothing: there are no native modules to wrap in a module with three arguments.</summary>
            /// <param name="handle">The handle of a native module.</param>
            /// <param name="boxedHandle">The handle of a boxed native module.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            protected Module(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <summary>Computes the result. A direct call fires none of the module's hooks (C-3): use <c>call</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <returns>The result.</returns>
            public abstract TResult forward(T1 input1, T2 input2, T3 input3);

            /// <summary>Calls the module as PyTorch's <c>__call__</c> does: pre hooks, <c>forward</c>, forward hooks (C-6).</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <returns>The result, after the forward hooks.</returns>
            public TResult call(T1 input1, T2 input2, T3 input3)
            {
                try
                {
                    ThreadStack.Check(this);
                    if (IsDirect) return forward(input1, input2, input3);
                    var frame = DisposeScopeManager.ForThread.LeaveFrame();
                    var result = !IsUnhooked ? CallObserved((input1, input2, input3))
                        : NeedsScope ? ForwardInScope((input1, input2, input3)) : forward(input1, input2, input3);
                    DisposeScopeManager.ForThread.ReturnToFrame(frame);
                    return result;
                }
                catch (Exception exception) when (NoteFailingModule(exception, this))
                {
                    throw; // never reached: the filter returns false
                }
            }

            private protected sealed override TResult InvokeForward((T1, T2, T3) args) => forward(args.Item1, args.Item2, args.Item3);

            private protected sealed override object?[] BoxArgs((T1, T2, T3) args) => [args.Item1, args.Item2, args.Item3];

            private protected sealed override (T1, T2, T3) UnboxArgs(object?[] args) => Tuples<(T1, T2, T3)>.Pack(args);

            private protected sealed override void RunPreHook(Func<Module<T1, T2, T3, TResult>, T1, T2, T3, (T1, T2, T3)?> hook,
                ref (T1, T2, T3) args)
            {
                if (hook(this, args.Item1, args.Item2, args.Item3) is { } changed) args = changed;
            }

            private protected sealed override void RunPostHook(Func<Module<T1, T2, T3, TResult>, T1, T2, T3, TResult, TResult> hook,
                (T1, T2, T3) args, ref TResult result)
            {
                if (hook(this, args.Item1, args.Item2, args.Item3, result) is { } changed) result = changed;
            }
        }

        /// <summary>A module whose <c>call</c> takes four arguments.</summary>
        public interface IModule<T1, T2, T3, T4, TResult>
        {
            /// <summary>Calls the module: hooks, if it has any, and <c>forward</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <returns>The result.</returns>
            TResult call(T1 input1, T2 input2, T3 input3, T4 input4);
        }

        /// <summary>A module with four arguments.</summary>
        public abstract class Module<T1, T2, T3, T4, TResult>
            : CallableModule<(T1, T2, T3, T4), TResult,
            Func<Module<T1, T2, T3, T4, TResult>, T1, T2, T3, T4, (T1, T2, T3, T4)?>,
            Func<Module<T1, T2, T3, T4, TResult>, T1, T2, T3, T4, TResult, TResult>>, IModule<T1, T2, T3, T4, TResult>
        {
            /// <summary>Creates a module with four arguments.</summary>
            /// <param name="name">The name, which <see cref="Module.GetName"/> returns.</param>
            protected Module(string name) : base(name) { }

            /// <summary>Creates nothing: there are no native modules to wrap in a module with four arguments.</summary>
            /// <param name="handle">The handle of a native module.</param>
            /// <param name="boxedHandle">The handle of a boxed native module.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            protected Module(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <summary>Computes the result. A direct call fires none of the module's hooks (C-3): use <c>call</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <returns>The result.</returns>
            public abstract TResult forward(T1 input1, T2 input2, T3 input3, T4 input4);

            /// <summary>Calls the module as PyTorch's <c>__call__</c> does: pre hooks, <c>forward</c>, forward hooks (C-6).</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <returns>The result, after the forward hooks.</returns>
            public TResult call(T1 input1, T2 input2, T3 input3, T4 input4)
            {
                try
                {
                    ThreadStack.Check(this);
                    if (IsDirect) return forward(input1, input2, input3, input4);
                    var frame = DisposeScopeManager.ForThread.LeaveFrame();
                    var result = !IsUnhooked ? CallObserved((input1, input2, input3, input4))
                        : NeedsScope ? ForwardInScope((input1, input2, input3, input4)) : forward(input1, input2, input3, input4);
                    DisposeScopeManager.ForThread.ReturnToFrame(frame);
                    return result;
                }
                catch (Exception exception) when (NoteFailingModule(exception, this))
                {
                    throw; // never reached: the filter returns false
                }
            }

            private protected sealed override TResult InvokeForward((T1, T2, T3, T4) args) =>
                forward(args.Item1, args.Item2, args.Item3, args.Item4);

            private protected sealed override object?[] BoxArgs((T1, T2, T3, T4) args) => [args.Item1, args.Item2, args.Item3, args.Item4];

            private protected sealed override (T1, T2, T3, T4) UnboxArgs(object?[] args) => Tuples<(T1, T2, T3, T4)>.Pack(args);

            private protected sealed override void RunPreHook(Func<Module<T1, T2, T3, T4, TResult>, T1, T2, T3, T4, (T1, T2, T3, T4)?> hook,
                ref (T1, T2, T3, T4) args)
            {
                if (hook(this, args.Item1, args.Item2, args.Item3, args.Item4) is { } changed) args = changed;
            }

            private protected sealed override void RunPostHook(Func<Module<T1, T2, T3, T4, TResult>, T1, T2, T3, T4, TResult, TResult> hook,
                (T1, T2, T3, T4) args, ref TResult result)
            {
                if (hook(this, args.Item1, args.Item2, args.Item3, args.Item4, result) is { } changed) result = changed;
            }
        }

        /// <summary>A module whose <c>call</c> takes five arguments.</summary>
        public interface IModule<T1, T2, T3, T4, T5, TResult>
        {
            /// <summary>Calls the module: hooks, if it has any, and <c>forward</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <param name="input5">The fifth argument.</param>
            /// <returns>The result.</returns>
            TResult call(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5);
        }

        /// <summary>A module with five arguments.</summary>
        public abstract class Module<T1, T2, T3, T4, T5, TResult>
            : CallableModule<(T1, T2, T3, T4, T5), TResult,
            Func<Module<T1, T2, T3, T4, T5, TResult>, T1, T2, T3, T4, T5, (T1, T2, T3, T4, T5)?>,
            Func<Module<T1, T2, T3, T4, T5, TResult>, T1, T2, T3, T4, T5, TResult, TResult>>, IModule<T1, T2, T3, T4, T5, TResult>
        {
            /// <summary>Creates a module with five arguments.</summary>
            /// <param name="name">The name, which <see cref="Module.GetName"/> returns.</param>
            protected Module(string name) : base(name) { }

            /// <summary>Creates nothing: there are no native modules to wrap in a module with five arguments.</summary>
            /// <param name="handle">The handle of a native module.</param>
            /// <param name="boxedHandle">The handle of a boxed native module.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            protected Module(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <summary>Computes the result. A direct call fires none of the module's hooks (C-3): use <c>call</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <param name="input5">The fifth argument.</param>
            /// <returns>The result.</returns>
            public abstract TResult forward(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5);

            /// <summary>Calls the module as PyTorch's <c>__call__</c> does: pre hooks, <c>forward</c>, forward hooks (C-6).</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <param name="input5">The fifth argument.</param>
            /// <returns>The result, after the forward hooks.</returns>
            public TResult call(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5)
            {
                try
                {
                    ThreadStack.Check(this);
                    if (IsDirect) return forward(input1, input2, input3, input4, input5);
                    var frame = DisposeScopeManager.ForThread.LeaveFrame();
                    var result = !IsUnhooked ? CallObserved((input1, input2, input3, input4, input5))
                        : NeedsScope ? ForwardInScope((input1, input2, input3, input4, input5))
                        : forward(input1, input2, input3, input4, input5);
                    DisposeScopeManager.ForThread.ReturnToFrame(frame);
                    return result;
                }
                catch (Exception exception) when (NoteFailingModule(exception, this))
                {
                    throw; // never reached: the filter returns false
                }
            }

            private protected sealed override TResult InvokeForward((T1, T2, T3, T4, T5) args) =>
                forward(args.Item1, args.Item2, args.Item3, args.Item4, args.Item5);

            private protected sealed override object?[] BoxArgs((T1, T2, T3, T4, T5) args) =>
                [args.Item1, args.Item2, args.Item3, args.Item4, args.Item5];

            private protected sealed override (T1, T2, T3, T4, T5) UnboxArgs(object?[] args) => Tuples<(T1, T2, T3, T4, T5)>.Pack(args);

            private protected sealed override void RunPreHook(
                Func<Module<T1, T2, T3, T4, T5, TResult>, T1, T2, T3, T4, T5, (T1, T2, T3, T4, T5)?> hook, ref (T1, T2, T3, T4, T5) args)
            {
                if (hook(this, args.Item1, args.Item2, args.Item3, args.Item4, args.Item5) is { } changed) args = changed;
            }

            private protected sealed override void RunPostHook(
                Func<Module<T1, T2, T3, T4, T5, TResult>, T1, T2, T3, T4, T5, TResult, TResult> hook, (T1, T2, T3, T4, T5) args,
                ref TResult result)
            {
                if (hook(this, args.Item1, args.Item2, args.Item3, args.Item4, args.Item5, result) is { } changed) result = changed;
            }
        }

        /// <summary>A module whose <c>call</c> takes six arguments.</summary>
        public interface IModule<T1, T2, T3, T4, T5, T6, TResult>
        {
            /// <summary>Calls the module: hooks, if it has any, and <c>forward</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <param name="input5">The fifth argument.</param>
            /// <param name="input6">The sixth argument.</param>
            /// <returns>The result.</returns>
            TResult call(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5, T6 input6);
        }

        /// <summary>A module with six arguments.</summary>
        public abstract class Module<T1, T2, T3, T4, T5, T6, TResult>
            : CallableModule<(T1, T2, T3, T4, T5, T6), TResult,
            Func<Module<T1, T2, T3, T4, T5, T6, TResult>, T1, T2, T3, T4, T5, T6, (T1, T2, T3, T4, T5, T6)?>,
            Func<Module<T1, T2, T3, T4, T5, T6, TResult>, T1, T2, T3, T4, T5, T6, TResult, TResult>>,
            IModule<T1, T2, T3, T4, T5, T6, TResult>
        {
            /// <summary>Creates a module with six arguments.</summary>
            /// <param name="name">The name, which <see cref="Module.GetName"/> returns.</param>
            protected Module(string name) : base(name) { }

            /// <summary>Creates nothing: there are no native modules to wrap in a module with six arguments.</summary>
            /// <param name="handle">The handle of a native module.</param>
            /// <param name="boxedHandle">The handle of a boxed native module.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            protected Module(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

            /// <summary>Computes the result. A direct call fires none of the module's hooks (C-3): use <c>call</c>.</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <param name="input5">The fifth argument.</param>
            /// <param name="input6">The sixth argument.</param>
            /// <returns>The result.</returns>
            public abstract TResult forward(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5, T6 input6);

            /// <summary>Calls the module as PyTorch's <c>__call__</c> does: pre hooks, <c>forward</c>, forward hooks (C-6).</summary>
            /// <param name="input1">The first argument.</param>
            /// <param name="input2">The second argument.</param>
            /// <param name="input3">The third argument.</param>
            /// <param name="input4">The fourth argument.</param>
            /// <param name="input5">The fifth argument.</param>
            /// <param name="input6">The sixth argument.</param>
            /// <returns>The result, after the forward hooks.</returns>
            public TResult call(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5, T6 input6)
            {
                try
                {
                    ThreadStack.Check(this);
                    if (IsDirect) return forward(input1, input2, input3, input4, input5, input6);
                    var frame = DisposeScopeManager.ForThread.LeaveFrame();
                    var result = !IsUnhooked ? CallObserved((input1, input2, input3, input4, input5, input6))
                        : NeedsScope ? ForwardInScope((input1, input2, input3, input4, input5, input6))
                        : forward(input1, input2, input3, input4, input5, input6);
                    DisposeScopeManager.ForThread.ReturnToFrame(frame);
                    return result;
                }
                catch (Exception exception) when (NoteFailingModule(exception, this))
                {
                    throw; // never reached: the filter returns false
                }
            }

            private protected sealed override TResult InvokeForward((T1, T2, T3, T4, T5, T6) args) =>
                forward(args.Item1, args.Item2, args.Item3, args.Item4, args.Item5, args.Item6);

            private protected sealed override object?[] BoxArgs((T1, T2, T3, T4, T5, T6) args) =>
                [args.Item1, args.Item2, args.Item3, args.Item4, args.Item5, args.Item6];

            private protected sealed override (T1, T2, T3, T4, T5, T6) UnboxArgs(object?[] args) =>
                Tuples<(T1, T2, T3, T4, T5, T6)>.Pack(args);

            private protected sealed override void RunPreHook(
                Func<Module<T1, T2, T3, T4, T5, T6, TResult>, T1, T2, T3, T4, T5, T6, (T1, T2, T3, T4, T5, T6)?> hook,
                ref (T1, T2, T3, T4, T5, T6) args)
            {
                if (hook(this, args.Item1, args.Item2, args.Item3, args.Item4, args.Item5, args.Item6) is { } changed) args = changed;
            }

            private protected sealed override void RunPostHook(
                Func<Module<T1, T2, T3, T4, T5, T6, TResult>, T1, T2, T3, T4, T5, T6, TResult, TResult> hook, (T1, T2, T3, T4, T5, T6) args,
                ref TResult result)
            {
                if (hook(this, args.Item1, args.Item2, args.Item3, args.Item4, args.Item5, args.Item6, result) is { } changed)
                    result = changed;
            }
        }
    }
}
