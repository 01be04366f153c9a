using System.Runtime.InteropServices;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    [ThreadStatic]
    private static int _outcome;

    /// <summary>Runs a module's <c>forward</c>, as a builtin of Python: (module id, arguments …) to the result, or to None when <see cref="Outcome"/> tells.</summary>
    [UnmanagedCallersOnly]
    private static IntPtr Forward(IntPtr self, IntPtr* arguments, nint number)
    {
        var outer = Boundary.Enter();
        var result = IntPtr.Zero;
        try
        {
            result = Run(MirrorLink.Get(Python.Value(arguments[0])), arguments + 1, (int)number - 1);
            _outcome = Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            _outcome = Boundary.Fail(exception, outer);
        }

        return Given(result);
    }

    /// <summary>The code that the thread's last <see cref="Forward"/> or <see cref="Hook"/> ended with.</summary>
    [UnmanagedCallersOnly]
    private static int Outcome() => _outcome;

    // The result, if it is one.
    private static IntPtr Given(IntPtr result)
    {
        if (_outcome == Boundary.Ok && result != IntPtr.Zero) return result;
        if (result != IntPtr.Zero) Python.Decrease(result);
        return Python.None();
    }

    private static IntPtr Run(MirrorLink link, IntPtr* arguments, int count)
    {
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

    /// <summary>
    /// Runs a C# hook that stands in a mirror's dictionary, as a builtin of Python: (hook number, module id, arguments …) to what replaces them or
    /// the result, or to None when there is nothing to replace or <see cref="Outcome"/> tells. A forward hook's result is the last of its arguments.
    /// </summary>
    [UnmanagedCallersOnly]
    private static IntPtr Hook(IntPtr self, IntPtr* arguments, nint count)
    {
        var outer = Boundary.Enter();
        var given = IntPtr.Zero;
        // Whatever a hook keeps survives: nothing that it sees or makes belongs to a call's scope.
        var scope = DisposeScope.Suspend();
        try
        {
            var hook = HookTable.Get(Python.Value(arguments[0]));
            var link = MirrorLink.Get(Python.Value(arguments[1]));
            link.Acquire();
            try
            {
                var values = Objects.Read(arguments + 2, (int)count - 2);
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

                if (changed is not null) given = Objects.Write(changed);
            }
            finally
            {
                link.Release();
            }

            _outcome = Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            _outcome = Boundary.Fail(exception, outer);
        }
        finally
        {
            DisposeScope.Resume(scope);
        }

        return Given(given);
    }
}
