using System.Text;
using Bridge.Hooks;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    /// <summary>Starts a recording of modules, by id; gives its number, by which the others find it, from any thread.</summary>
    private static long RecordStart(long values, IntPtr* modules, int count)
    {
        var known = new HashSet<int>(count);
        for (var i = 0; i < count; i++) known.Add((int)Python.Integer(modules[i]));
        return CallRecorder.Start(known, values != 0);
    }

    /// <summary>
    /// An event of a module whose call is PyTorch's to make; gives the call. At its begin the given call tells whether it may be a root, and the
    /// number of the call comes back, -1 when it is not recorded. A value that cannot cross is recorded as an object.
    /// </summary>
    private static long RecordEvent(long number, long call, long id, long moment, IntPtr* values, int count)
    {
        if (CallRecorder.Find(number) is not { } recorder) return -1;
        var when = (CallMoment)moment;
        object?[] items = [];
        try
        {
            if (when != CallMoment.Failed) items = Objects.Read(values, count, lenient: true);
            var module = MirrorLink.All.TryGetValue(id, out var link) ? link.Module : null;
            if (when == CallMoment.Begun) call = RecordedFrame.BeginPythonCall(recorder, module, (int)id, root: call != 0, Only(items));
            else if (when == CallMoment.Ended) recorder.Result((int)call, Only(items));
        }
        finally
        {
            if (when != CallMoment.Begun) RecordedFrame.EndPythonCall(recorder, (int)call);
            foreach (var item in items) (item as IDisposable)?.Dispose();
        }

        return call;
    }

    private static object? Only(object?[] items) => items.Length == 1 ? items[0] : new ListOfValues(items);

    /// <summary>Whether this thread is inside a call of the recording: one of C#'s own threads may be.</summary>
    private static bool RecordInside(long recorder) => CallRecorder.Find(recorder) is { } found && RecordedFrame.IsInside(found);

    /// <summary>Python runs a <c>forward</c> which the recording is to see: from now on (1), or no more (0). Gives whether anything changed.</summary>
    private static bool RecordHere(long number, long sees)
    {
        if (CallRecorder.Find(number) is not { } recorder) return false;
        if (sees != 0) return RecordedFrame.Attach(recorder);
        RecordedFrame.Detach(recorder);
        return true;
    }

    /// <summary>Ends the recording, and tells where its records lie.</summary>
    private static Drained RecordDrain(long number)
    {
        var recorder = CallRecorder.Get(number);
        recorder.End();
        var buffer = recorder.Buffer;
        return new()
        {
            Events = buffer.EventsAddress,
            EventCount = buffer.Events.Length,
            Values = buffer.ValuesAddress,
            ValueCount = buffer.Values.Length,
            Dims = buffer.DimsAddress,
            DimCount = buffer.Dims.Length,
            TextCount = recorder.Texts.Count,
        };
    }

    /// <summary>A handle of the n-th kept tensor; Python owns it.</summary>
    private static long RecordValue(long recorder, long number) => (long)CallRecorder.Get(recorder).Kept[(int)number].NewHandle();

    /// <summary>The n-th recorded string.</summary>
    private static string RecordText(long recorder, long number) => CallRecorder.Get(recorder).Texts[(int)number];

    /// <summary>Writes a recording into an empty file, before it is stopped; Python puts it in place, and tells what <see cref="RecordedNames"/> need.</summary>
    private static void RecordWrite(long number, string path, string names)
    {
        var recorder = CallRecorder.Get(number);
        var known = new RecordedNames(Encoding.UTF8.GetBytes(names), recorder.Texts);
        using var stream = new FileStream(path, FileMode.Truncate, FileAccess.Write);
        TraceWriter.Write(stream, known.Header, recorder.Buffer, known);
    }

    /// <summary>Frees a recording.</summary>
    private static void RecordStop(long recorder) => CallRecorder.Stop(recorder);

    /// <summary>How many entries of the global dictionaries are recorders'.</summary>
    private static void Recorders(long count) => Torch.Native.TorchFunctionMode.SetRecorders(count);
}
