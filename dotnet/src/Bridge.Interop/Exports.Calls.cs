using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    /// <summary>Runs a module's <c>forward</c>; gives a new reference to its result.</summary>
    private static IntPtr Forward(long id, IntPtr* arguments, int count)
    {
        var link = MirrorLink.Get(id);
        var module = link.Module;
        link.Acquire();
        Interlocked.Increment(ref DisposeScope.Calls);
        var scope = new DisposeScope(ofCall: true);
        try
        {
            link.Prepare();
            Hooks.Dispatcher.CheckStack(module);
            var inputs = Objects.Read(arguments, count);
            object? result;
            var gil = Python.ReleaseGil();
            try
            {
                result = module.Invoke(inputs);
            }
            catch (Exception exception) when (torch.nn.Module.Blame(exception, module))
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
            if (scope.DisposablesCount > 0) Survivors.Keep(module.Keepers);
            scope.EndCall();
            if (!DisposeScope.InCall) Survivors.Forget();
            Interlocked.Decrement(ref DisposeScope.Calls);
            link.Release();
            Python.Drain();
        }
    }

    /// <summary>
    /// Runs a C# hook that Python has; gives a new reference to what replaces its arguments, the result or the gradient, or to None when there is
    /// nothing to replace (with kwargs: see <see cref="Torch.Hook.Invoke"/>).
    /// </summary>
    /// <param name="number">The hook.</param>
    /// <param name="id">A mirrored module, a PyTorch module (below zero), or 0 for none.</param>
    /// <param name="arguments">What it gets.</param>
    /// <param name="count">How many.</param>
    private static IntPtr Hook(long number, long id, IntPtr* arguments, int count)
    {
        // Whatever a hook keeps survives, since nothing that it sees or makes belongs to a call's scope.
        var scope = DisposeScope.Suspend();
        try
        {
            var hook = HookTable.Get(number);
            var link = id > 0 ? MirrorLink.Get(id) : null;
            var module = link?.Module ?? (id < 0 ? PythonModule.Of(id) : null);
            if (link is not null) link.Acquire();
            else MirrorLink.Enter();
            try
            {
                var values = Objects.Read(arguments, count);
                HookPressure.Add(values);
                object? changed;
                var gil = Python.ReleaseGil();
                try
                {
                    changed = hook.Invoke(module, values);
                }
                catch (Exception exception) when (link is not null && torch.nn.Module.Blame(exception, link.Module))
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
                if (link is not null) link.Release();
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
