using Bridge.Hooks;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <content>
        /// The same call where the only hooks are forward hooks whose code loads none of the values (<see cref="HookPlan.IsQuiet"/>), and the one argument is a tensor:
        /// until something else turns up it has no state.
        /// </content>
        public abstract partial class CallableModule<TArgs, TResult, TPreHook, TPostHook>
        {
            private TResult CallQuiet(TArgs args, ModuleLink link, HookPlan plan, out bool unseen)
            {
                var output = default(TResult)!;
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

                if (state is not null) return Ended(state, out unseen);
                unseen = true;
                return output;
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
