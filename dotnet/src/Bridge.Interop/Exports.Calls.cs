using System.Runtime.InteropServices;
using TorchSharp;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    /// <summary>Runs a module's <c>forward</c>: what a mirror's <c>forward</c> does.</summary>
    [UnmanagedCallersOnly]
    private static int Forward(long id, Value* arguments, int count, Value* results, int capacity, int* given)
    {
        var outer = Boundary.Enter();
        try
        {
            var link = MirrorLink.Get(id);
            link.Acquire();
            try
            {
                link.Prepare();
                *given = Run(link, arguments, count, results, capacity);
            }
            finally
            {
                link.Release();
                Python.Drain();
            }

            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    private static int Run(MirrorLink link, Value* arguments, int count, Value* results, int capacity)
    {
        var module = link.Module;
        var scope = torch.NewDisposeScope();
        try
        {
            Hooks.Dispatcher.CheckStack(module);
            var inputs = Values.Read(arguments, count);
            object? result;
            var gil = Python.ReleaseGil();
            try
            {
                result = module.Invoke(inputs);
            }
            catch (Exception exception) when (torch.nn.Module.Blame(exception, module))
            {
                throw; // never reached: the filter only takes a note
            }
            finally
            {
                Python.TakeGil(gil);
            }

            return Values.Write(result, results, capacity);
        }
        finally
        {
            if (scope.DisposablesCount > 0) Survivors.Keep(link.Keepers);
            scope.Dispose();
        }
    }

    /// <summary>Runs a C# hook that stands in a mirror's dictionary. A forward hook's result is the last of its arguments.</summary>
    /// <returns>In <paramref name="given"/>: 0 keep, else the number of values written.</returns>
    [UnmanagedCallersOnly]
    private static int Hook(long number, long id, Value* arguments, int count, Value* results, int capacity, int* given)
    {
        var outer = Boundary.Enter();
        // Whatever a hook keeps survives: nothing that it sees or makes belongs to a call's scope.
        var scope = DisposeScope.Suspend();
        try
        {
            var link = MirrorLink.Get(id);
            var hook = HookTable.Get(number);
            link.Acquire();
            try
            {
                var values = Values.Read(arguments, count);
                object? changed;
                var gil = Python.ReleaseGil();
                try
                {
                    changed = hook.IsForward ? hook.InvokeForward(link.Module, values[..^1], values[^1]) : hook.InvokePre(link.Module, values);
                }
                catch (Exception exception) when (torch.nn.Module.Blame(exception, link.Module))
                {
                    throw; // never reached: the filter only takes a note
                }
                finally
                {
                    Python.TakeGil(gil);
                }

                *given = changed is null ? 0 : Values.Write(changed, results, capacity);
            }
            finally
            {
                link.Release();
            }

            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
        finally
        {
            DisposeScope.Resume(scope);
        }
    }
}
