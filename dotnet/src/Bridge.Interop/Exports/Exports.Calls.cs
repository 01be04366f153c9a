using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    private static long _hooks;

    /// <summary>Runs a module's <c>forward</c>; gives a new reference to its result.</summary>
    private static IntPtr Forward(long id, IntPtr* arguments, int count)
    {
        var link = MirrorLink.Get(id);
        link.Remember();
        return Run(link, link.Acquire(), null, arguments, count);
    }

    /// <summary>
    /// Calls a module to which nothing listens (C-5), or whose hooks are all C#'s; gives a new reference to its result, or to NotImplemented if PyTorch has to
    /// make the call.
    /// </summary>
    private static IntPtr Call(IntPtr mirror, IntPtr* arguments, int count)
    {
        if (CallRecorder.Active == 0 && !Surroundings.AreFollowed && MirrorLink.Lately(mirror) is { IsOrdinary: true } link)
        {
            Watching.Refresh();
            var tree = link.Acquire();
            HookPlan? plan = null;
            var isOurs = false;
            try
            {
                var listens = link.NeedsDispatch; // before the other is read, since it asks Python if it has to
                if (link.IsIntercepted) isOurs = false;
                else if (!listens) isOurs = true;
                else if (link.Module.DispatchesInCSharp && ArePlain(arguments, count)) isOurs = (plan = link.Plan()) is not null;
            }
            finally
            {
                if (!isOurs) MirrorLink.Release(tree);
            }

            if (isOurs) return Run(link, tree, plan, arguments, count);
        }

        Python.Increase(Imports.NotImplemented);
        return Imports.NotImplemented;
    }

    // Whatever else there is PyTorch's dispatcher may hand to hooks before it is known whether it can cross.
    private static bool ArePlain(IntPtr* arguments, int count)
    {
        for (var i = 0; i < count; i++)
        {
            var type = Python.TypeOf(arguments[i]);
            if (type != Imports.Tensor && type != Imports.Parameter && type != Imports.Float && arguments[i] != Imports.None && arguments[i] != Imports.True && arguments[i] != Imports.False)
                return false;
        }

        return true;
    }

    // The tree is acquired, and is released at the end.
    private static IntPtr Run(MirrorLink link, MirrorLink[] tree, HookPlan? plan, IntPtr* arguments, int count)
    {
        var module = link.Module;
        Interlocked.Increment(ref DisposeScope.Calls);
        var scope = new DisposeScope(ofCall: true, callee: module);
        try
        {
            link.Prepare();
            Hooks.ThreadStack.Check(module);
            var inputs = Objects.Read(arguments, count);
            object? result;
            var gil = Python.ReleaseGil();
            try
            {
                if (plan is not null) Surroundings.Renew();
                result = plan is null ? module.Invoke(inputs) : module.CallHooked(inputs, plan);
            }
            catch (Exception exception) when (torch.nn.Module.NoteFailingModule(exception, module))
            {
                throw; // never reached: the filter only records it
            }
            finally
            {
                Python.TakeGil(gil);
            }

            return Objects.Write(result);
        }
        finally
        {
            if (scope.DisposablesCount > 0) ReachableTensors.Detach(module.RetainingFields);
            scope.EndCall();
            if (!DisposeScope.InCall) ReachableTensors.ClearClosures();
            Interlocked.Decrement(ref DisposeScope.Calls);
            MirrorLink.Release(tree);
            Python.Drain();
        }
    }

    /// <summary>
    /// Runs a C# hook that Python has; gives a new reference to what replaces its arguments, the result or the gradient, or to None when there is
    /// nothing to replace (with kwargs: see <see cref="Torch.RegisteredHook.Invoke"/>).
    /// </summary>
    /// <param name="number">The hook.</param>
    /// <param name="id">A mirrored module, a PyTorch module (below zero), or 0 for none.</param>
    /// <param name="arguments">What it gets.</param>
    /// <param name="count">How many.</param>
    private static IntPtr Hook(long number, long id, IntPtr* arguments, int count)
    {
        Interlocked.Increment(ref _hooks);
        // Whatever a hook keeps survives, since nothing that it sees or makes belongs to a call's scope.
        var scope = DisposeScope.Suspend();
        try
        {
            var hook = HookTable.Get(number);
            var link = id > 0 ? MirrorLink.Get(id) : null;
            var module = link?.Module ?? (id < 0 ? PythonModule.Of(id) : null);
            var tree = link?.Acquire();
            if (tree is null) MirrorLink.Enter();
            try
            {
                var values = Objects.Read(arguments, count);
                HookPressure.Add(values);
                var kwargs = hook.WithKwargs && values[1] is DictOfValues ? arguments[1] : IntPtr.Zero;
                object? changed;
                var gil = Python.ReleaseGil();
                try
                {
                    changed = kwargs == IntPtr.Zero ? hook.Invoke(module, values) : hook.InvokeWithKwargs(module, values, written => Objects.Rewrite(kwargs, written));
                }
                catch (Exception exception) when (link is not null && torch.nn.Module.NoteFailingModule(exception, link.Module))
                {
                    throw; // never reached: the filter only records it
                }
                finally
                {
                    Python.TakeGil(gil);
                }

                return Objects.Write(changed);
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
            // In a model of PyTorch's own no other call enters .NET.
            if (!MirrorLink.IsEntered) Python.Drain();
        }
    }
}
