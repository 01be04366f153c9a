using Bridge.Hooks;
using Bridge.Torch;
using Bridge.Torch.Native;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Built-ins one after another that are one operator each (<see cref="ForwardOperator"/>), below a call from Python: the next one gets the handle that the one before gave.</summary>
/// <remarks>
/// No tensor of C#'s is made in between, and what libtorch made there is freed as soon as the next operator has run, as in PyTorch. Each module is looked at right before
/// it would be called, as any call does, and one that needs more than its operator and forward hooks that see no values ends the chain.
/// </remarks>
internal static unsafe class OperatorChain
{
    /// <summary>The modules of a Sequential, as of its entries and of the link with which all of them are mirrored.</summary>
    internal sealed class Callees(List<(string Name, nn.Module Module)> entries, ModuleLink? link)
    {
        /// <summary>Each, and itself where it is called without an interface.</summary>
        internal readonly (nn.Module<Tensor, Tensor>? Module, nn.IModule<Tensor, Tensor> Callable)[] Modules =
            [.. entries.Select(item => (item.Module as nn.Module<Tensor, Tensor>, (nn.IModule<Tensor, Tensor>)item.Module))];

        /// <summary>The Python side of each.</summary>
        internal readonly ModuleLink?[] Links = [.. entries.Select(item => item.Module.Link)];

        /// <summary>It is still so.</summary>
        internal bool Matches(List<(string Name, nn.Module Module)> now, ModuleLink? mirrored) => entries == now && link == mirrored && Modules.Length == now.Count;
    }

    /// <summary>Runs modules from one on, as far as they go.</summary>
    /// <param name="callees">The modules.</param>
    /// <param name="epoch">The epoch in which they are these: in another one the chain ends.</param>
    /// <param name="first">The first to run.</param>
    /// <param name="input">What it gets; then the result of the last that ran.</param>
    /// <param name="made">The same if nobody else has it, or null.</param>
    /// <param name="scopes">The thread's scopes.</param>
    /// <returns>How many ran.</returns>
    internal static int Run(Callees callees, long epoch, int first, ref Tensor input, ref Tensor? made, DisposeScopeManager scopes)
    {
        var handle = IntPtr.Zero;
        // What the module that runs got, in case that its hooks turn out to need it.
        var kept = IntPtr.Zero;
        ModuleLink? hooked = null;
        Tensor? finished = null;
        var scope = scopes.Current;
        var at = first;
        bool done = false, failed = false;
        var links = callees.Links;
        try
        {
            for (; at < links.Length; at++)
            {
                // Of most modules this is known without looking at them; looking may change it.
                if (links[at] is not { IsCollected: false } link || link.Operator == ForwardOperator.None || CallRecorder.Active != 0 || epoch != ModuleLink.CurrentEpoch) break;
                HookPlan? plan = null;
                if (!link.IsForwardOnly && (plan = link.ForwardOnlyPlan()) is null) break;
                var forward = link.Operator;
                if (forward == ForwardOperator.None) break;
                if (handle == IntPtr.Zero)
                {
                    handle = input.NewHandle();
                    made?.DisposeForReuse(scopes);
                    made = null;
                }

                var given = handle;
                handle = IntPtr.Zero;
                if (plan is null)
                {
                    handle = forward.Run(given, link);
                    continue;
                }

                if (kept == IntPtr.Zero) kept = Abi.NewHandle(given);
                else Abi.Check(Abi.reassign(given, kept), "assign_tensors");
                hooked = link;
                handle = forward.Run(given, link);

                // Nearly always one hook that gives nothing: it is called here, since after an operator each frame and each object more is memory to wait for.
                // What hooks make or keep belongs to no scope of the call.
                scopes.Current = null;
                var ran = 0;
                object? changed = null;
                if (link.HasForward(plan))
                {
                    changed = plan.FirstDelegate!(link.Module, [], null);
                    ran = 1;
                }

                hooked = null;
                if (ran != plan.ValueFreeDelegates!.Length || changed is not null)
                    finished = callees.Modules[at].Module!.FinishFusedCall(link, plan, ran, changed, scopes, scope, ref kept, ref handle);
                scopes.Current = scope;
                if (finished is null) continue;
                at++;
                break;
            }

            done = true;
        }
        catch (Exception exception) when (NoteFailure(exception, callees.Modules[at].Module!, out failed))
        {
            throw; // never reached: the filter only looks
        }
        finally
        {
            scopes.Current = scope;
            // Not after one that was seen passing and that somebody below caught.
            if (failed && !done && hooked is not null) nn.Module<Tensor, Tensor>.RecoverFusedCall(hooked, ref kept, ref handle);
            if (kept != IntPtr.Zero) Abi.delete_tensor(kept);
            if (!done && handle != IntPtr.Zero) Abi.delete_tensor(handle);
        }

        if (at == first) return 0;
        // Each of the others would have been a tensor.
        var counts = DisposeScopeManager.Statistics.TensorStatistics;
        counts.CreatedInScopeCount += at - first - 1;
        counts.DisposedInScopeCount += at - first - 1;
        if (finished is not null) input = finished;
        else input = made = Tensor.Own(handle);
        return at - first;
    }

    // A filter: was it an error, and of which module?
    private static bool NoteFailure(Exception exception, nn.Module module, out bool failed)
    {
        failed = !Interrupts.Carries(exception);
        return nn.Module.NoteFailingModule(exception, module);
    }
}
