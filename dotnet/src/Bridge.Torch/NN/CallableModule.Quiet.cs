using Bridge.Hooks;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <content>
        /// The same call where the only hooks are forward hooks whose code loads none of the values (<see cref="HookPlan.IsQuiet"/>), and the one argument is a tensor:
        /// until something else turns up it has no state.
        /// </content>
        public abstract unsafe partial class CallableModule<TArgs, TResult, TPreHook, TPostHook>
        {
            private static bool IsQuiet(ModuleLink link, HookPlan plan) => plan.IsQuiet && CallRecorder.Active == 0 && !link.IsElsewhere;

            // Gives the state of the call when something else turned up.
            private Here? CallQuiet(TArgs args, ModuleLink link, HookPlan plan, out TResult output)
            {
                output = default!;
                Here? state = null;
                var failed = false;
                try
                {
                    link.Prepare();
                    output = NeedsScope ? RunInScope(args) : Run(args);
                    if (output is Tensor && link.PlanAgain(plan) == plan) RunQuietHooks(link, plan, args, output, ref state);
                    else RunForwardHooks(link, plan, state = Entered(args, output));

                    // An exception that was seen passing and then replaced by one that code below caught.
                    failed = false;
                }
                catch (Exception exception) when (Passes(exception, out failed))
                {
                    throw; // Never reached: the filter says no.
                }
                finally
                {
                    if (failed && state is not { IsFinished: true }) Recover(link, state ?? Entered(args, output));
                }

                return state;
            }

            /// <summary>The same of a built-in that is one operator, of which the module before has given only the handle.</summary>
            /// <param name="input">The handle, which it takes over.</param>
            /// <param name="one">The operator.</param>
            /// <param name="link">The module's link.</param>
            /// <param name="plan">Its hooks; none of them is typed.</param>
            /// <param name="mine">The thread's scopes.</param>
            /// <param name="kept">A handle for what may turn up: hooks that want to see the input. Zero at first; the caller frees it in the end.</param>
            /// <returns>The result's handle, which the caller owns; or the result itself, when something else turned up.</returns>
            internal (IntPtr Handle, TResult? Shown) CallQuiet(IntPtr input, OneOperator one, ModuleLink link, HookPlan plan, DisposeScopeManager mine, ref IntPtr kept)
            {
                var scope = mine.Current;
                Here? state = null;
                var failed = false;
                var result = IntPtr.Zero;
                try
                {
                    if (kept == IntPtr.Zero) kept = Abi.NewHandle(input);
                    else Abi.Check(Abi.reassign(input, kept), "assign_tensors");
                    result = one.Run(input, link);
                    mine.Current = null;
                    var hooks = plan.Unseeing!;
                    var unchanged = link.HasForward(plan);
                    for (var i = 0; unchanged ? i < hooks.Length : i == 0; i++)
                    {
                        object? changed = null;
                        if (unchanged && (i == 0 || link.HasForward(plan)) && (changed = Tuples.Unpack(hooks[i](this, [], null))) is null) continue;
                        mine.Current = scope;
                        state = Entered(ref kept, ref result);
                        mine.Current = null;
                        if (changed is not null) Replace(link, changed, state);
                        if (unchanged) RunForwardHooks(link, plan, state, changed is null ? i : i + 1);
                        else RunForwardHooks(link, plan, state);
                        break;
                    }

                    // An exception that was seen passing and then replaced by one that code below caught.
                    failed = false;
                }
                catch (Exception exception) when (Passes(exception, out failed))
                {
                    throw; // Never reached: the filter says no.
                }
                finally
                {
                    mine.Current = scope;
                    if (failed && state is not { IsFinished: true }) Recover(link, state ?? Entered(ref kept, ref result));
                    if (failed && result != IntPtr.Zero) Abi.delete_tensor(result);
                }

                return state is null ? (result, default) : (IntPtr.Zero, Ended(state, out _));
            }

            private static Here Entered(ref IntPtr kept, ref IntPtr result)
            {
                var args = Tuples<TArgs>.Pack(kept == IntPtr.Zero ? null : Tensor.Own(kept));
                kept = IntPtr.Zero;
                var output = result == IntPtr.Zero ? default! : Tuples<TResult>.Pack(Tensor.Own(result));
                result = IntPtr.Zero;
                return Entered(args, output);
            }

            // What hooks make or keep belongs to no scope of the call.
            private void RunQuietHooks(ModuleLink link, HookPlan plan, TArgs args, TResult output, ref Here? state)
            {
                var mine = DisposeScopeManager.Mine;
                var scope = mine.Suspend();
                try
                {
                    var hooks = plan.Forward;
                    for (var i = 0; i < hooks.Length; i++)
                    {
                        if (i > 0 && !link.Matches(plan))
                        {
                            RunForwardHooks(link, plan, state = Entered(args, output), i);
                            return;
                        }

                        var changed = RunQuietHook(hooks[i].Hook, args, output);
                        if (changed is null || ReferenceEquals(changed, output)) continue;
                        state = Entered(args, output);
                        Replace(link, changed, state);
                        RunForwardHooks(link, plan, state, i + 1);
                        return;
                    }
                }
                finally
                {
                    mine.Current = scope;
                }
            }

            private object? RunQuietHook(Hook hook, TArgs args, TResult output)
            {
                if (!hook.IsTyped) return hook.Invoke(this, Hook.Unread);
                if (hook is not Typed typed) return hook.Invoke(this, [args, output]);
                var result = output;
                typed.Forward(this, args, ref result);
                return result;
            }

            // The state of a call that came so far.
            private static Here Entered(TArgs args, TResult output) =>
                new() { Typed = args, IsTyped = true, IsSimple = true, IsUnseen = true, Output = output, Result = Tuples.Unpack(output) };
        }
    }
}
