using System.Text;
using Bridge.Hooks;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace Bridge.Interop;

public static unsafe partial class Exports
{
    /// <summary>Starts a recording and returns its number, which any thread may use.</summary>
    /// <param name="values">1 to keep copies of the recorded tensors; otherwise 0.</param>
    /// <param name="modules">The ids of the modules whose calls are recorded even if no recorded call contains them.</param>
    /// <param name="count">The number of modules.</param>
    private static long RecordStart(long values, BorrowedReference* modules, int count)
    {
        var ids = new HashSet<int>(count);
        for (var i = 0; i < count; i++) ids.Add((int)Python.ToInt64(modules[i]));
        return CallRecorder.Start(ids, values != 0);
    }

    /// <summary>Sets (1) or forgets (0) the context that a recording observes (<see cref="RecordedContext"/>).</summary>
    private static void RecordContext(long number, long begins, BorrowedReference* context, int count)
    {
        var recorder = CallRecorder.Find(number);
        if (begins == 0) RecordedContext.Leave(recorder);
        else if (recorder is not null && count == 2) RecordedContext.Set(recorder, context[0], context[1]);
    }

    /// <summary>Records an event of a module call that PyTorch makes. A value that cannot be converted is recorded as an object.</summary>
    /// <param name="number">The number of the recording.</param>
    /// <param name="call">
    /// The number of the call. When the call begins: 1 to record the call even if no recorded call contains it, otherwise 0.
    /// </param>
    /// <param name="id">The id of a C# module, or the number of a Python module.</param>
    /// <param name="moment">The <see cref="CallMoment"/>.</param>
    /// <param name="values">The arguments or the result.</param>
    /// <param name="count">The number of values.</param>
    /// <returns>The number of the call; -1 if it is not recorded.</returns>
    private static long RecordEvent(long number, long call, long id, long moment, BorrowedReference* values, int count)
    {
        if (CallRecorder.Find(number) is not { } recorder) return -1;
        var when = (CallMoment)moment;
        object?[] items = [];
        try
        {
            if (when != CallMoment.Failed) items = Converter.ToDotNet(values, count, lenient: true);
            var module = MirrorLink.All.TryGetValue(id, out var link) ? link.Module : null;
            if (when == CallMoment.Begun) call = RecordedFrame.BeginPythonCall(recorder, module, (int)id, root: call != 0, Unwrap(items));
            else if (when == CallMoment.Ended) recorder.Result((int)call, Unwrap(items));
        }
        finally
        {
            if (when != CallMoment.Begun) RecordedFrame.EndPythonCall(recorder, (int)call);
            foreach (var item in items) (item as IDisposable)?.Dispose();
        }

        return call;
    }

    private static object? Unwrap(object?[] items) => items.Length == 1 ? items[0] : new ListOfValues(items);

    /// <summary>Returns whether this thread is inside a recorded call, or was started by one.</summary>
    private static bool RecordInside(long recorder) => CallRecorder.Find(recorder) is { } found && RecordedFrame.IsInside(found);

    /// <summary>Begins (1) or ends (0) the recording of C# calls on this thread within a <c>forward</c> that Python calls.</summary>
    /// <returns>False if the recording was stopped, or records this thread already.</returns>
    private static bool RecordForward(long number, long begins)
    {
        if (CallRecorder.Find(number) is not { } recorder) return false;
        if (begins != 0) return RecordedFrame.Attach(recorder);
        RecordedFrame.Detach(recorder);
        return true;
    }

    /// <summary>Ends a recording and returns the addresses and counts of its records.</summary>
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

    /// <summary>Returns a new handle of the recorded tensor with the index <paramref name="number"/>. Python owns the handle.</summary>
    private static long RecordValue(long recorder, long number) => (long)CallRecorder.Get(recorder).Kept[(int)number].NewHandle();

    /// <summary>Returns the recorded string with the index <paramref name="number"/>.</summary>
    private static string RecordText(long recorder, long number) => CallRecorder.Get(recorder).Texts[(int)number];

    /// <summary>Overwrites an existing file with a recording. Must precede <see cref="RecordStop"/>.</summary>
    /// <param name="number">The number of the recording.</param>
    /// <param name="path">The file.</param>
    /// <param name="names">The JSON that <see cref="RecordedNames"/> reads.</param>
    private static void RecordWrite(long number, string path, string names)
    {
        var recorder = CallRecorder.Get(number);
        var known = new RecordedNames(Encoding.UTF8.GetBytes(names), recorder.Texts);
        using var stream = new FileStream(path, FileMode.Truncate, FileAccess.Write);
        TraceWriter.Write(stream, known.Header, recorder.Buffer, known);
    }

    private static void RecordStop(long recorder) => CallRecorder.Stop(recorder);

    /// <summary>Sets how many hooks in PyTorch's global hook dictionaries belong to recorders.</summary>
    private static void SetRecorders(long count) => Torch.Native.TorchFunctionMode.SetRecorders(count);
}
