using Bridge.Hooks;
using Bridge.Torch;
using Bridge.Torch.Native;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>
/// The execution of consecutive modules of a Sequential that are single operators (<see cref="ForwardOperator"/>), in a call from Python.
/// Each operator gets the handle of the previous operator's result.
/// </summary>
/// <remarks>
/// No Tensor object is created for an intermediate result, which is freed as soon as the next operator has run, as in PyTorch. A module may
/// have forward hooks that read neither arguments nor result, or a single Python forward hook. Any other hook, or a module that is not a
/// single operator, ends the chain. Each module is checked right before its turn, because a hook may have changed it. The chain writes the
/// events of a recording that keeps no values; hooked modules that may be recorded end the chain.
/// </remarks>
internal static unsafe class OperatorChain
{
    /// <summary>The modules of a Sequential, as read from a list of entries and a link to Python.</summary>
    internal sealed class Callees(List<(string Name, nn.Module Module)> entries, ModuleLink? link)
    {
        /// <summary>Each module as its base class, or null if it only implements the interface, and as the interface.</summary>
        internal readonly (nn.Module<Tensor, Tensor>? Module, nn.IModule<Tensor, Tensor> Callable)[] Modules =
            [.. entries.Select(item => (item.Module as nn.Module<Tensor, Tensor>, (nn.IModule<Tensor, Tensor>)item.Module))];

        internal readonly ModuleLink?[] Links = [.. entries.Select(item => item.Module.Link)];

        /// <summary>Returns whether the entries and the link are still the same.</summary>
        internal bool Matches(List<(string Name, nn.Module Module)> now, ModuleLink? mirrored) =>
            entries == now && link == mirrored && Modules.Length == now.Count;
    }

    /// <summary>Runs modules from an index on until one ends the chain.</summary>
    /// <param name="callees">The modules.</param>
    /// <param name="epoch">
    /// The <see cref="ModuleLink.CurrentEpoch"/> when the modules were read. Python advances it when a module may have been replaced, which
    /// ends the chain.
    /// </param>
    /// <param name="first">The index of the first module.</param>
    /// <param name="input">The input; then the result of the last module that ran.</param>
    /// <param name="made">The input, then the result, if no other code refers to that tensor; otherwise null.</param>
    /// <param name="scopes">The thread's dispose scopes.</param>
    /// <returns>The number of modules that ran.</returns>
    internal static int Run(Callees callees, long epoch, int first, ref Tensor input, ref Tensor? made, DisposeScopeManager scopes)
    {
        var handle = IntPtr.Zero;
        // The input of the running module, for its hooks.
        var kept = IntPtr.Zero;
        ModuleLink? hooked = null;
        // The caller's frame while a recorded module runs.
        RecordedFrame? caller = null;
        Tensor? finished = null;
        var scope = scopes.Current;
        var at = first;
        bool done = false, failed = false;
        var links = callees.Links;
        try
        {
            for (; at < links.Length; at++)
            {
                // The operator is read again below, because synchronizing with Python may change it.
                if (links[at] is not { IsCollected: false } link || link.Operator == ForwardOperator.None
                    || epoch != ModuleLink.CurrentEpoch)
                    break;
                HookPlan? plan = null;
                if (!link.IsForwardOnly && (CallRecorder.Active != 0 || (plan = link.ForwardOnlyPlan()) is null)) break;
                var forward = link.Operator;
                if (forward == ForwardOperator.None) break;
                var frame = RecordedFrame.Current;
                if (frame is not null && (frame.KeepsValues || input is null)) break;
                if (handle == IntPtr.Zero)
                {
                    handle = input.NewHandle();
                    made?.DisposeForReuse(scopes);
                    made = null;
                }

                if (frame is not null)
                {
                    var inner = frame.Push(link.Module, new RecordedTensor(handle));
                    caller = frame;
                    var argument = handle;
                    handle = IntPtr.Zero;
                    handle = forward.Run(argument, link);
                    inner?.RecordResult(new RecordedTensor(handle));
                    RecordedFrame.Restore(frame, flows: false);
                    caller = null;
                    continue;
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

                // Nearly always, there is one hook, which returns null. It is called here, not in a method: after an operator, each further
                // frame and object is a cache miss. Tensors that hooks create or keep must not belong to a scope of the call.
                scopes.Current = null;
                var ran = 0;
                object? changed = null;
                if (link.HasForward(plan))
                {
                    changed = plan.OnHandles is { } hook ? hook.Invoke(kept, handle) : plan.FirstDelegate!(link.Module, [], null);
                    ran = 1;
                }

                hooked = null;
                if (ran != plan.Forward.Length || changed is not null)
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
            throw; // never reached: the filter returns false
        }
        finally
        {
            scopes.Current = scope;
            if (caller is not null) RecordedFrame.Restore(caller, flows: false);
            // `failed` is not enough: the filter also runs for an exception that is replaced and caught before it leaves the try block.
            if (failed && !done && hooked is not null) nn.Module<Tensor, Tensor>.RecoverFusedCall(hooked, ref kept, ref handle);
            if (kept != IntPtr.Zero) Abi.delete_tensor(kept);
            if (!done && handle != IntPtr.Zero) Abi.delete_tensor(handle);
        }

        if (at == first) return 0;
        // TorchSharp would create and dispose a Tensor for each intermediate result, so these are counted.
        var counts = DisposeScopeManager.Statistics.TensorStatistics;
        counts.CreatedInScopeCount += at - first - 1;
        counts.DisposedInScopeCount += at - first - 1;
        if (finished is not null) input = finished;
        else input = made = Tensor.Own(handle);
        return at - first;
    }

    // An exception filter that never catches. Sets `failed` to whether the exception is an error, not an interrupt, and stores the
    // module.
    private static bool NoteFailure(Exception exception, nn.Module module, out bool failed)
    {
        failed = !InterruptCheck.IsInterrupt(exception);
        return nn.Module.NoteFailingModule(exception, module);
    }
}
