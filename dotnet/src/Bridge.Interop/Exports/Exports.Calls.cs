using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    private static long _hookRuns;

    /// <summary>Runs a module's <c>forward</c>.</summary>
    private static OwnedReference Forward(long id, BorrowedReference* arguments, int count)
    {
        var link = MirrorLink.Get(id);
        link.CacheMirror();
        return RunModule(link, link.Acquire(), null, null, arguments, count);
    }

    /// <summary>Calls a module that has no hooks (C-5), or only C# hooks. Returns NotImplemented if PyTorch has to make the call.</summary>
    private static OwnedReference Call(BorrowedReference mirror, BorrowedReference* arguments, int count)
    {
        CallRecorder? recorder = null;
        if ((CallRecorder.Active == 0 || (recorder = RecordedContext.Recorder) is not null) && !ActiveModes.HasDispatchModeOrTrace
            && MirrorLink.FindCached(mirror.Address) is { IsOrdinary: true } link)
        {
            GlobalHookDictionaries.Refresh();
            if (recorder is not null)
                return CanRecord(recorder, link, arguments, count) ? CallRecorded(recorder, link, arguments)
                    : Imports.NotImplemented.NewReference();
            var tree = link.Acquire();
            HookPlan? plan = null;
            var inDotNet = false;
            try
            {
                var hasHooks = link.NeedsDispatch; // Read first, because reading it may update IsIntercepted.
                if (link.IsIntercepted) inDotNet = false;
                else if (!hasHooks) inDotNet = true;
                else if (link.Module.DispatchesInCSharp && AreSimple(arguments, count)
                    && ForwardOverloads.Added(link.Module.GetType()) is null) inDotNet = (plan = link.Plan()) is not null;
            }
            finally
            {
                if (!inDotNet) MirrorLink.Release(tree);
            }

            if (inDotNet) return RunModule(link, tree, plan, null, arguments, count);
        }

        return Imports.NotImplemented.NewReference();
    }

    // Returns whether C# can record a root call: of a recorded module without hooks, from a tensor to a tensor. The module must be
    // synchronized with its mirror, since synchronizing may run Python code, which may call modules, before the call is recorded.
    private static bool CanRecord(CallRecorder recorder, MirrorLink link, BorrowedReference* arguments, int count) =>
        count == 1 && link.Module is torch.nn.Module<torch.Tensor, torch.Tensor> && recorder.Knows(link.Module.Id)
        && Python.TypeOf(arguments[0]) is var type && (type == Imports.Tensor || type == Imports.Parameter)
        && !link.IsStale && !link.NeedsDispatch && !link.IsIntercepted;

    private static OwnedReference CallRecorded(CallRecorder recorder, MirrorLink link, BorrowedReference* arguments)
    {
        var impl = Python.TensorImplOf(arguments[0]);
        var frame = RecordedFrame.BeginRootCall(recorder, link.Module, new RecordedTensor((IntPtr)(&impl)));
        try
        {
            return RunModule(link, link.Acquire(), null, frame, arguments, 1);
        }
        finally
        {
            RecordedFrame.Restore(null);
        }
    }

    // Returns whether all arguments are of types that always convert to C#. Otherwise a call of a module with hooks is left to PyTorch's
    // _call_impl, so that the pre hooks run even if an argument then fails to convert.
    private static bool AreSimple(BorrowedReference* arguments, int count)
    {
        for (var i = 0; i < count; i++)
        {
            var argument = arguments[i];
            var type = Python.TypeOf(argument);
            if (type != Imports.Tensor && type != Imports.Parameter && type != Imports.Float
                && argument != Imports.None && argument != Imports.True && argument != Imports.False)
                return false;
        }

        return true;
    }

    // Runs a module's forward; if a plan is given, also the hooks in it. Records the result if `frame` is given. Releases `tree`, which
    // MirrorLink.Acquire returned.
    private static OwnedReference RunModule(
        MirrorLink link, MirrorLink[] tree, HookPlan? plan, RecordedFrame? frame, BorrowedReference* arguments, int count)
    {
        var module = link.Module;
        Interlocked.Increment(ref DisposeScope.Calls);
        var scope = new DisposeScope(ofCall: true, callee: module);
        object?[]? keptArguments = null;
        try
        {
            link.Prepare();
            Hooks.ThreadStack.Check(module);
            var inputs = Converter.ToDotNet(arguments, count);
            // C# may store tensors in an object that Python passed. They must outlive the call.
            if (HasOwnObject(inputs)) keptArguments = inputs;
            object? result;
            var gil = Python.ReleaseGil();
            try
            {
                if (plan is not null) ActiveModes.SetNone();
                else scope.BeginForward(DisposeScopeManager.ForThread);
                result = plan is null ? module.Invoke(inputs) : module.CallHooked(inputs, plan);
            }
            catch (Exception exception) when (torch.nn.Module.NoteFailingModule(exception, module))
            {
                throw; // Never reached: the filter only records the module.
            }
            finally
            {
                Python.TakeGil(gil);
            }

            frame?.RecordResult(result);
            return Converter.ToPython(result);
        }
        finally
        {
            if (scope.DisposablesCount > 0)
            {
                ReachableTensors.Detach(module.RetainingFields);
                if (keptArguments is not null) ReachableTensors.Detach((object)keptArguments);
            }

            scope.EndCall();
            if (!DisposeScope.InCall) ReachableTensors.ClearClosures();
            Interlocked.Decrement(ref DisposeScope.Calls);
            MirrorLink.Release(tree);
            Python.ReleasePending();
        }
    }

    /// <summary>Returns whether a value, or an item of a list or dict, is an object of a class other than a tensor or a string.</summary>
    internal static bool HasOwnObject(object? value) => value switch
    {
        null or torch.Tensor or ValueType or string => false,
        object?[] items => Array.Exists(items, HasOwnObject),
        ListOfValues list => Array.Exists(list.Items, HasOwnObject),
        DictOfValues map => Array.Exists(map.Items, item => HasOwnObject(item.Value)),
        _ => true,
    };

    /// <summary>
    /// Runs a C# hook that is registered in Python. Returns the new arguments, result or gradient, or None. Kwargs that a hook changes in
    /// place are written to Python's dictionary (<see cref="Torch.RegisteredHook.InvokeWithKwargs"/>).
    /// </summary>
    /// <param name="number">The number of the hook.</param>
    /// <param name="id">The id of a C# module, the negative number of a PyTorch module, or 0 for no module.</param>
    /// <param name="arguments">The arguments of the hook.</param>
    /// <param name="count">The number of arguments.</param>
    private static OwnedReference RunHook(long number, long id, BorrowedReference* arguments, int count)
    {
        Interlocked.Increment(ref _hookRuns);
        // A hook may keep any tensor that it sees or makes, so none of them may belong to the dispose scope of a call.
        var scope = DisposeScope.Suspend();
        try
        {
            var hook = HookTable.Get(number);
            var link = id > 0 ? MirrorLink.Get(id) : null;
            var module = link?.Module ?? (id < 0 ? PythonModule.Get(id) : null);
            var tree = link?.Acquire();
            if (tree is null) MirrorLink.Enter();
            try
            {
                var values = Converter.ToDotNet(arguments, count);
                HookPressure.Add(values);
                var kwargs = hook.WithKwargs && values[1] is DictOfValues ? arguments[1].Address : IntPtr.Zero;
                object? changed;
                var gil = Python.ReleaseGil();
                try
                {
                    changed = kwargs == IntPtr.Zero
                        ? hook.Invoke(module, values)
                        : hook.InvokeWithKwargs(module, values, written => Converter.ReplaceItems(new(kwargs), written));
                }
                catch (Exception exception) when (link is not null && torch.nn.Module.NoteFailingModule(exception, link.Module))
                {
                    throw; // Never reached: the filter only records the module.
                }
                finally
                {
                    Python.TakeGil(gil);
                }

                return Converter.ToPython(changed);
            }
            finally
            {
                if (tree is not null) MirrorLink.Release(tree);
                else MirrorLink.Leave();
            }
        }
        finally
        {
            DisposeScope.Resume(scope);
            // In a pure PyTorch model, no other call into .NET would release the pending references.
            if (!MirrorLink.IsEntered) Python.ReleasePending();
        }
    }
}
