using System.Runtime.InteropServices;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    [ThreadStatic]
    private static Value* _outcome;

    [ThreadStatic]
    private static int _outcomeCount;

    [ThreadStatic]
    private static int _outcomeCode;

    /// <summary>Runs a module's <c>forward</c>: what a mirror's <c>forward</c> does.</summary>
    [UnmanagedCallersOnly]
    private static int Forward(long id, Value* arguments, int count, Value* results, int capacity, int* given)
    {
        var outer = Boundary.Enter();
        try
        {
            _ = Run(MirrorLink.Get(id), arguments, count, results, capacity, given, wrap: false);
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    /// <summary>The same for one tensor, as a builtin of Python: (module id, tensor) to the result, or to None when <see cref="Outcome"/> tells.</summary>
    [UnmanagedCallersOnly]
    private static IntPtr ForwardTensor(IntPtr self, IntPtr* arguments, nint number)
    {
        var outer = Boundary.Enter();
        try
        {
            if (_outcome == null) _outcome = (Value*)NativeMemory.Alloc((nuint)(OutcomeRoom * sizeof(Value)));
            var argument = new Value { Kind = Value.Tensor, Bits = Python.Impl(arguments[1]) };
            int count;
            var wrapped = Run(MirrorLink.Get(Python.Value(arguments[0])), &argument, 1, _outcome, OutcomeRoom, &count, wrap: true);
            _outcomeCount = count;
            _outcomeCode = Boundary.Leave(outer);
            if (_outcomeCode == Boundary.Ok && wrapped != IntPtr.Zero) return wrapped;
        }
        catch (Exception exception)
        {
            _outcomeCode = Boundary.Fail(exception, outer);
        }

        return Python.None();
    }

    /// <summary>What the thread's last <see cref="ForwardTensor"/> came to.</summary>
    [UnmanagedCallersOnly]
    private static int Outcome(Value* results, int* given)
    {
        if (_outcomeCode == Boundary.Ok) new ReadOnlySpan<Value>(_outcome, _outcomeCount).CopyTo(new Span<Value>(results, OutcomeRoom));
        *given = _outcomeCount;
        return _outcomeCode;
    }

    private const int OutcomeRoom = 256;

    private static IntPtr Run(MirrorLink link, Value* arguments, int count, Value* results, int capacity, int* given, bool wrap)
    {
        var module = link.Module;
        link.Acquire();
        Interlocked.Increment(ref DisposeScope.Calls);
        var scope = new DisposeScope(ofCall: true);
        try
        {
            link.Prepare();
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

            *given = 0;
            if (wrap && result is torch.Tensor tensor && Python.CanWrap) return Python.Wrap(tensor.Handle);
            *given = Values.Write(result, results, capacity);
            return IntPtr.Zero;
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
