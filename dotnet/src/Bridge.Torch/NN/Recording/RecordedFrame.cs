using Bridge.Hooks;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// A frame of a thread's stack of recorded calls. A thread that several recordings observe has a linked list of frames, one per recording.
/// </summary>
/// <remarks>
/// Frames are immutable, except for <c>_forwardRan</c>. To leave the calls entered since an earlier frame, also after an exception, it is
/// enough to restore that frame. The current frame flows into tasks, threads and continuations that a <c>forward</c> starts, as an
/// <see cref="AsyncLocal{T}"/> does.
/// </remarks>
internal sealed class RecordedFrame
{
    // The current frame, in a field that is faster to read than Flow. Flow sets it when the thread continues another thread's work.
    [ThreadStatic]
    private static RecordedFrame? _current;

    private static readonly AsyncLocal<RecordedFrame?> Flow = new(change =>
    {
        if (change.ThreadContextChanged) _current = change.CurrentValue;
    });

    private readonly CallRecorder _recorder;
    private readonly torch.nn.Module? _module;
    private readonly int _call;
    private readonly RecordedFrame? _parent;
    private readonly RecordedFrame? _next;
    private bool _forwardRan;

    /// <param name="recorder">The recording.</param>
    /// <param name="module">The called module; null in a root frame, and for a Python module.</param>
    /// <param name="call">The number of the call; -1 in a root frame, which is the frame of a thread outside of recorded calls.</param>
    /// <param name="parent">The frame in which the call was made; null if there is none.</param>
    /// <param name="next">The thread's frame in the next recording; null in the last one.</param>
    private RecordedFrame(CallRecorder recorder, torch.nn.Module? module, int call, RecordedFrame? parent, RecordedFrame? next)
    {
        _recorder = recorder;
        _module = module;
        _call = call;
        _parent = parent;
        _next = next;
    }

    /// <summary>Gets the thread's current frame; null if no recording observes the thread.</summary>
    internal static RecordedFrame? Current => CallRecorder.Active == 0 ? null : _current;

    /// <summary>Records the start of a call, in the recordings that include it, and makes a new frame the current one.</summary>
    /// <param name="module">The called module.</param>
    /// <param name="arguments">The arguments.</param>
    /// <param name="flows">Whether the module's <c>forward</c> may start tasks that call modules.</param>
    /// <returns>The new current frame; null if all recordings have ended.</returns>
    internal RecordedFrame? Push(torch.nn.Module module, object? arguments, bool flows)
    {
        var inner = Push(this, module, arguments);
        Set(inner, flows);
        return inner;
    }

    /// <summary>Records the start of a call of a built-in with one tensor, and makes a new frame the current one.</summary>
    /// <param name="module">The called module, whose <c>forward</c> starts no tasks.</param>
    /// <param name="argument">The argument. No recording of this frame may keep values (<see cref="KeepsValues"/>).</param>
    /// <returns>The new current frame; null if all recordings have ended.</returns>
    internal RecordedFrame? Push(torch.nn.Module module, in RecordedTensor argument) => _current = Push(this, module, argument);

    /// <summary>Gets whether a recording that this frame belongs to keeps copies of tensors.</summary>
    internal bool KeepsValues
    {
        get
        {
            for (var frame = this; frame is not null; frame = frame._next)
                if (frame._recorder.KeepsValues) return true;
            return false;
        }
    }

    /// <summary>Records a result that is one tensor; <see cref="KeepsValues"/> is false.</summary>
    internal void RecordResult(in RecordedTensor result)
    {
        for (var frame = this; frame is not null; frame = frame._next)
            if (frame._call >= 0) frame._recorder.Result(frame._call, result);
    }

    internal void RecordResult(object? result)
    {
        for (var frame = this; frame is not null; frame = frame._next)
            if (frame._call >= 0) frame._recorder.Result(frame._call, result);
    }

    /// <summary>Makes the caller's frame the current one again, after a call that succeeded or failed.</summary>
    /// <param name="frame">The caller's frame.</param>
    /// <param name="flows">The value passed to <c>Push</c>.</param>
    internal static void Restore(RecordedFrame? frame, bool flows = true)
    {
        if (!ReferenceEquals(_current, frame) || flows) Set(frame, flows);
    }

    /// <summary>
    /// Returns whether a built-in's <c>forward</c> that starts now was called directly, not by <c>call</c>. Within a call of the module,
    /// only the first <c>forward</c> is the call's own, so this method also remembers that a <c>forward</c> has started.
    /// </summary>
    internal bool IsDirectForward(torch.nn.Module module)
    {
        var direct = _module != module || _forwardRan;
        for (var frame = this; frame is not null; frame = frame._next)
            if (frame._module == module) frame._forwardRan = true;
        return direct;
    }

    internal void RecordBypass(torch.nn.Module module, torch.Tensor result)
    {
        for (var frame = this; frame is not null; frame = frame._next)
            if (frame.Records(module)) frame._recorder.Bypass(module.Id, frame._call, result);
    }

    /// <summary>Starts observing this thread, with a root frame.</summary>
    /// <returns>False if the recording observes the thread already.</returns>
    internal static bool Attach(CallRecorder recorder)
    {
        if (Find(recorder) is not null) return false;
        Set(new(recorder, null, -1, null, _current), flows: true);
        return true;
    }

    /// <summary>Stops observing this thread.</summary>
    internal static void Detach(CallRecorder recorder) => Set(Replace(_current, recorder, null), flows: true);

    /// <summary>Records the start of a call that Python makes.</summary>
    /// <param name="recorder">The recording.</param>
    /// <param name="module">The module; null for a Python module.</param>
    /// <param name="number">The id of a C# module, or the number of a Python module.</param>
    /// <param name="root">Whether to record the call even if no recorded call encloses it.</param>
    /// <param name="arguments">The arguments.</param>
    /// <returns>The number of the call; -1 if the call is not recorded.</returns>
    internal static int BeginPythonCall(CallRecorder recorder, torch.nn.Module? module, int number, bool root, object? arguments)
    {
        var frame = Find(recorder);
        if (frame is not { _call: >= 0 } && !root) return -1;
        var call = recorder.Begin(number, frame?._call ?? -1, arguments);
        if (call >= 0) Set(Replace(_current, recorder, new(recorder, module, call, frame, null)), flows: true);
        return call;
    }

    /// <summary>Records the start of a call that no recorded call on this thread encloses. The caller must restore null.</summary>
    /// <returns>The new current frame; null if the recording has ended.</returns>
    internal static RecordedFrame? BeginRootCall(CallRecorder recorder, torch.nn.Module module, in RecordedTensor argument)
    {
        var call = recorder.Begin(module.Id, -1, argument);
        if (call >= 0) Set(new(recorder, module, call, null, null), flows: true);
        return _current;
    }

    /// <summary>Ends a call that Python made. Does nothing if the call is no longer on this thread's stack.</summary>
    internal static void EndPythonCall(CallRecorder recorder, int call)
    {
        for (var frame = Find(recorder); frame is not null; frame = frame._parent)
        {
            if (frame._call != call) continue;
            Set(Replace(_current, recorder, frame._parent), flows: true);
            return;
        }
    }

    /// <summary>Returns whether this thread is inside a call of the recording.</summary>
    internal static bool IsInside(CallRecorder recorder) => Find(recorder) is { _call: >= 0 };

    /// <summary>Creates the observer of a call that the C# dispatcher makes.</summary>
    /// <param name="module">The called module.</param>
    /// <param name="recorded">Converts the arguments to the value to record.</param>
    internal ICallObserver<TIn, TOut> Observe<TIn, TOut>(torch.nn.Module module, Func<TIn, object?> recorded) =>
        new Observer<TIn, TOut>(this, module, recorded);

    private static void Set(RecordedFrame? frame, bool flows)
    {
        _current = frame;
        if (flows) Flow.Value = frame;
    }

    private static RecordedFrame? Find(CallRecorder recorder)
    {
        var frame = _current;
        while (frame is not null && frame._recorder != recorder) frame = frame._next;
        return frame;
    }

    private static RecordedFrame? Push(RecordedFrame frame, torch.nn.Module module, object? arguments)
    {
        var next = frame._next is null ? null : Push(frame._next, module, arguments);
        if (frame._recorder.Ended) return next;
        if (!frame.Records(module)) return new(frame._recorder, null, -1, frame._parent, next);
        return frame.Enter(module, frame._recorder.Begin(module.Id, frame._call, arguments), next);
    }

    private static RecordedFrame? Push(RecordedFrame frame, torch.nn.Module module, in RecordedTensor argument)
    {
        var next = frame._next is null ? null : Push(frame._next, module, argument);
        if (frame._recorder.Ended) return next;
        if (!frame.Records(module)) return new(frame._recorder, null, -1, frame._parent, next);
        return frame.Enter(module, frame._recorder.Begin(module.Id, frame._call, argument), next);
    }

    private bool Records(torch.nn.Module module) => _call >= 0 || _recorder.Knows(module.Id);

    // Returns the frame of a call that began; `next` if the recording has ended.
    private RecordedFrame? Enter(torch.nn.Module module, int call, RecordedFrame? next) =>
        call < 0 ? next : new(_recorder, module, call, this, next);

    // Copies a list of frames, without those of ended recordings, and with `replacement`, if any, as the frame of `recorder`.
    private static RecordedFrame? Replace(RecordedFrame? frame, CallRecorder recorder, RecordedFrame? replacement)
    {
        RecordedFrame? others = null;
        for (; frame is not null; frame = frame._next)
            if (frame._recorder != recorder && !frame._recorder.Ended) others = frame.Prepend(others);
        return replacement is null ? others : replacement.Prepend(others);
    }

    private RecordedFrame Prepend(RecordedFrame? next) => new(_recorder, _module, _call, _parent, next) { _forwardRan = _forwardRan };

    private sealed class Observer<TIn, TOut>(RecordedFrame caller, torch.nn.Module module, Func<TIn, object?> recorded)
        : ICallObserver<TIn, TOut>
    {
        private RecordedFrame? _inner;

        public int Entered(in TIn args)
        {
            _inner = caller.Push(module, recorded(args), flows: true);
            return 0;
        }

        public void Computed(int call, in TOut output) => _inner?.RecordResult(output);

        public void Left(int call) => Restore(caller);
    }
}
