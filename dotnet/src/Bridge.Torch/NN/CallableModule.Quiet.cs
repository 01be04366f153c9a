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

            /// <summary>What follows the operator in the same call of a built-in that is one, where its input and its result are only handles, and more turned up than a hook that gives nothing.</summary>
            /// <param name="link">The module's link.</param>
            /// <param name="plan">Its hooks, none of which needs values.</param>
            /// <param name="ran">How many of them ran; if none did, they are other ones by now.</param>
            /// <param name="changed">What the last of them gave.</param>
            /// <param name="mine">The thread's scopes.</param>
            /// <param name="scope">That of the call; none is current.</param>
            /// <param name="kept">The input. What is made a tensor here is zero then.</param>
            /// <param name="result">The result, likewise.</param>
            /// <returns>The result, if it is a tensor now.</returns>
            internal TResult? EndQuiet(
                ModuleLink link, HookPlan plan, int ran, object? changed, DisposeScopeManager mine, DisposeScope? scope, ref IntPtr kept, ref IntPtr result)
            {
                var hooks = plan.Unseeing!;
                Here? state = null;
                var failed = false;
                try
                {
                    changed = Tuples.Unpack(changed);
                    while (ran > 0 && changed is null)
                    {
                        if (ran == hooks.Length) return default;
                        if (!link.HasForward(plan)) break;
                        changed = Tuples.Unpack(hooks[ran++](this, [], null));
                    }

                    mine.Current = scope;
                    state = Entered(ref kept, ref result);
                    mine.Current = null;
                    if (changed is not null) Replace(link, changed, state);
                    if (ran > 0) RunForwardHooks(link, plan, state, ran);
                    else RunForwardHooks(link, plan, state);

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
                }

                return Ended(state, out _);
            }

            /// <summary>The operator or the first hook of such a call failed.</summary>
            internal static void RecoverQuiet(ModuleLink link, ref IntPtr kept, ref IntPtr result) => Recover(link, Entered(ref kept, ref result));

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
