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
            Interlocked.Decrement(ref DisposeScope.Calls);
            link.Release();
            Python.Drain();
        }
    }

    /// <summary>
    /// Runs a C# hook that is an entry of a mirror's dictionary; gives a new reference to what replaces its arguments or the result, or to None when
    /// there is nothing to replace. A forward hook's result is the last of its arguments.
    /// </summary>
    private static IntPtr Hook(long number, long id, IntPtr* arguments, int count)
    {
        // Whatever a hook keeps survives, since nothing that it sees or makes belongs to a call's scope.
        var scope = DisposeScope.Suspend();
        try
        {
            var hook = HookTable.Get(number);
            var link = MirrorLink.Get(id);
            link.Acquire();
            try
            {
                var values = Objects.Read(arguments, count);
                object? changed;
                var gil = Python.ReleaseGil();
                try
                {
                    changed = hook.IsForward ? hook.InvokeForward(link.Module, values[..^1], values[^1]) : hook.InvokePre(link.Module, values);
                }
                catch (Exception exception) when (torch.nn.Module.Blame(exception, link.Module))
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
                link.Release();
            }
        }
        finally
        {
            DisposeScope.Resume(scope);
        }
    }
}
