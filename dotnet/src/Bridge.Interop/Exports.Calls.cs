using System.Runtime.InteropServices;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    /// <summary>Runs a module's <c>forward</c>, as a builtin of Python: (module id, arguments …) to the result.</summary>
    [UnmanagedCallersOnly]
    private static IntPtr Forward(IntPtr self, IntPtr* arguments, nint count) => Boundary.Run(&RunForward, arguments, count);

    /// <summary>
    /// Runs a C# hook that stands in a mirror's dictionary, as a builtin of Python: (hook number, module id, arguments …) to what replaces them or
    /// the result, or to None when there is nothing to replace. A forward hook's result is the last of its arguments.
    /// </summary>
    [UnmanagedCallersOnly]
    private static IntPtr Hook(IntPtr self, IntPtr* arguments, nint count) => Boundary.Run(&RunHook, arguments, count);

    private static IntPtr RunForward(IntPtr* arguments, int count)
    {
        var link = MirrorLink.Get(Python.Value(arguments[0]));
        var module = link.Module;
        link.Acquire();
        Interlocked.Increment(ref DisposeScope.Calls);
        var scope = new DisposeScope(ofCall: true);
        try
        {
            link.Prepare();
            Hooks.Dispatcher.CheckStack(module);
            var inputs = Objects.Read(arguments + 1, count - 1);
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

    private static IntPtr RunHook(IntPtr* arguments, int count)
    {
        // Whatever a hook keeps survives: nothing that it sees or makes belongs to a call's scope.
        var scope = DisposeScope.Suspend();
        try
        {
            var hook = HookTable.Get(Python.Value(arguments[0]));
            var link = MirrorLink.Get(Python.Value(arguments[1]));
            link.Acquire();
            try
            {
                var values = Objects.Read(arguments + 2, count - 2);
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
