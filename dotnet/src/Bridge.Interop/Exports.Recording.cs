using System.Runtime.InteropServices;
using System.Text;
using Bridge.Hooks;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>Where a recording's records lie; valid until it is stopped.</summary>
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
    /// <summary>Starts a recording of modules, by id; gives its number, by which the others find it, from any thread.</summary>
    [UnmanagedCallersOnly]
    private static int RecordStart(long* modules, int count, int values, long* recorder) => Boundary.Run(() =>
    {
        var known = new HashSet<int>(count);
        for (var i = 0; i < count; i++) known.Add((int)modules[i]);
        *recorder = CallRecorder.Start(known, values != 0);
    });

    /// <summary>
    /// An event of a module whose call is PyTorch's to make, as a builtin of Python: (recorder, call, module id, phase, values …) to the call.
    /// Phase 0: the arguments; the given call tells whether it may be a root, and the number of the call comes back, -1 when it is not recorded.
    /// 1: the result of that call. 2: the call failed. A value that cannot cross is recorded as an object.
    /// </summary>
    [UnmanagedCallersOnly]
    private static IntPtr RecordEvent(IntPtr self, IntPtr* arguments, nint count) => Boundary.Run(&RunRecordEvent, arguments, count);

    private static IntPtr RunRecordEvent(IntPtr* arguments, int count)
    {
        var recorder = CallRecorder.Get(Python.Value(arguments[0]));
        var call = (int)Python.Value(arguments[1]);
        var (id, phase) = (Python.Value(arguments[2]), Python.Value(arguments[3]));
        object?[] items = [];
        try
        {
            if (phase != 2) items = Objects.Read(arguments + 4, count - 4, lenient: true);
            var module = MirrorLink.All.TryGetValue(id, out var link) ? link.Module : null;
            if (phase == 0) call = RecordedPlace.Begin(recorder, module, (int)id, root: call != 0, items);
            else if (phase == 1) recorder.Result(call, new ListOfValues(items));
        }
        finally
        {
            if (phase != 0) RecordedPlace.Close(recorder, call);
            foreach (var item in items) (item as IDisposable)?.Dispose();
        }

        return Python.Number(call);
    }

    /// <summary>Whether this thread is inside a call of the recording: one of C#'s own threads may be.</summary>
    [UnmanagedCallersOnly]
    private static int RecordInside(long recorder, int* inside) => Boundary.Run(() => *inside = RecordedPlace.IsInside(CallRecorder.Get(recorder)) ? 1 : 0);

    /// <summary>Python runs a <c>forward</c> which the recording is to see: from now on (1), or no more (0). Gives whether anything changed.</summary>
    [UnmanagedCallersOnly]
    private static int RecordHere(long number, int sees, int* changed) => Boundary.Run(() =>
    {
        var recorder = CallRecorder.Get(number);
        *changed = 1;
        if (sees != 0) *changed = RecordedPlace.Open(recorder) ? 1 : 0;
        else RecordedPlace.Shut(recorder);
    });

    /// <summary>Ends the recording, and tells where its records lie.</summary>
    [UnmanagedCallersOnly]
    private static int RecordDrain(long number, Drained* drained) => Boundary.Run(() =>
    {
        var recorder = CallRecorder.Get(number);
        recorder.End();
        var buffer = recorder.Buffer;
        *drained = new()
        {
            Events = buffer.EventsAddress,
            EventCount = buffer.Events.Length,
            Values = buffer.ValuesAddress,
            ValueCount = buffer.Values.Length,
            Dims = buffer.DimsAddress,
            DimCount = buffer.Dims.Length,
        };
    });

    /// <summary>A handle of the n-th kept tensor; Python owns it.</summary>
    [UnmanagedCallersOnly]
    private static int RecordValue(long recorder, long number, long* handle) => Boundary.Run(() => *handle = Abi.NewHandle(CallRecorder.Get(recorder).Kept[(int)number].Handle));

    /// <summary>The n-th recorded string.</summary>
    [UnmanagedCallersOnly]
    private static IntPtr RecordText(long recorder, long number) => Boundary.Give(() => Encoding.UTF8.GetBytes(CallRecorder.Get(recorder).Texts[(int)number]));

    /// <summary>Writes a recording into an empty file, before it is stopped; Python puts it in place, and tells what <see cref="RecordedNames"/> need.</summary>
    [UnmanagedCallersOnly]
    private static int RecordWrite(long number, byte* path, int pathLength, byte* told, int toldLength) => Boundary.Run(() =>
    {
        var recorder = CallRecorder.Get(number);
        var names = new RecordedNames(new ReadOnlySpan<byte>(told, toldLength), recorder.Texts);
        using var stream = new FileStream(Encoding.UTF8.GetString(path, pathLength), FileMode.Truncate, FileAccess.Write);
        TraceWriter.Write(stream, names.Header, recorder.Buffer, names);
    });

    /// <summary>Frees a recording.</summary>
    [UnmanagedCallersOnly]
    private static int RecordStop(long recorder) => Boundary.Run(() => CallRecorder.Stop(recorder));

    /// <summary>How many entries of the global dictionaries are recorders'.</summary>
    [UnmanagedCallersOnly]
    private static int Recorders(long count) => Boundary.Run(() => Volatile.Write(ref ModuleLink.Recorders, count));
}
