using System.Runtime.InteropServices;
using System.Text;
using Bridge.Hooks;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>Where a recording's records lie; valid until its next event.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct Drained
{
    internal long Events;
    internal long EventCount;
    internal long Values;
    internal long ValueCount;
    internal long Dims;
    internal long DimCount;
}

public static unsafe partial class Exports
{
    /// <summary>Starts a recording on this thread.</summary>
    [UnmanagedCallersOnly]
    private static int RecordStart(int values)
    {
        _ = new CallRecorder(values != 0);
        return Boundary.Ok;
    }

    /// <summary>An event of a module whose call is PyTorch's to make: 0 the arguments, 1 the result, 2 the call failed.</summary>
    [UnmanagedCallersOnly]
    private static int RecordEvent(long id, int phase, Value* values, int count) => RecordedEvent(id, phase, values, count);

    /// <summary>The same for one tensor, as a builtin of Python: (module id, phase, tensor) to the code.</summary>
    [UnmanagedCallersOnly]
    private static IntPtr RecordTensor(IntPtr self, IntPtr* arguments, nint number)
    {
        var value = new Value { Kind = Value.Tensor, Bits = Python.Impl(arguments[2]) };
        return Python.Number(RecordedEvent(Python.Value(arguments[0]), (int)Python.Value(arguments[1]), &value, 1));
    }

    private static int RecordedEvent(long id, int phase, Value* values, int count)
    {
        var outer = Boundary.Enter();
        try
        {
            if (CallRecorder.Current is { } recorder)
            {
                var buffer = recorder.Buffer;
                if (phase == 0) buffer.Event(buffer.BeginCall((int)id, 0), TracePhase.Pre);
                else if (phase == 1) buffer.Event(buffer.CurrentCall, TracePhase.Forward);
                foreach (var item in Values.Read(values, count))
                {
                    recorder.Add(item);
                    (item as IDisposable)?.Dispose();
                }

                if (phase != 0) buffer.EndCall(buffer.CurrentCall);
            }

            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    [UnmanagedCallersOnly]
    private static int RecordDrain(Drained* drained)
    {
        var buffer = CallRecorder.Current!.Buffer;
        *drained = new()
        {
            Events = buffer.EventsAddress,
            EventCount = buffer.Events.Length,
            Values = buffer.ValuesAddress,
            ValueCount = buffer.Values.Length,
            Dims = buffer.DimsAddress,
            DimCount = buffer.Dims.Length,
        };
        return Boundary.Ok;
    }

    /// <summary>A handle of the n-th kept tensor; Python owns it.</summary>
    [UnmanagedCallersOnly]
    private static int RecordValue(long number, long* handle)
    {
        var outer = Boundary.Enter();
        try
        {
            *handle = Abi.NewHandle(CallRecorder.Current!.Kept[(int)number].Handle);
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    /// <summary>The n-th recorded string.</summary>
    [UnmanagedCallersOnly]
    private static int RecordText(long number, byte** text, int* length)
    {
        Give(System.Text.Encoding.UTF8.GetBytes(CallRecorder.Current!.Texts[(int)number]), text, length);
        return Boundary.Ok;
    }

    /// <summary>Writes this thread's recording into a trace file, before it is stopped; <see cref="RecordedNames"/> is told by Python.</summary>
    [UnmanagedCallersOnly]
    private static int RecordWrite(byte* path, int pathLength, byte* told, int toldLength)
    {
        var outer = Boundary.Enter();
        try
        {
            var recorder = CallRecorder.Current!;
            var names = new RecordedNames(new ReadOnlySpan<byte>(told, toldLength), recorder.Texts);
            TraceWriter.Write(Encoding.UTF8.GetString(path, pathLength), names.Header, recorder.Buffer, names);
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    [UnmanagedCallersOnly]
    private static int RecordStop()
    {
        CallRecorder.Current?.Dispose();
        return Boundary.Ok;
    }

    /// <summary>How many entries of the global dictionaries are recorders'.</summary>
    [UnmanagedCallersOnly]
    private static int Recorders(long count)
    {
        Volatile.Write(ref ModuleLink.Recorders, count);
        return Boundary.Ok;
    }
}
