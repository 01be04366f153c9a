using Bridge.Hooks;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>Where a thread is, as a recording sees it: inside which of its calls. One node for each recording that sees the thread.</summary>
/// <remarks>
/// Immutable, so that putting an earlier one back undoes whatever happened since, exceptions included. It goes along with what a
/// <c>forward</c> starts (tasks, threads, continuations), as an <see cref="AsyncLocal{T}"/> does.
/// </remarks>
internal sealed class RecordedPlace
{
    // The copy that a call reads; Flow keeps it up to date where a thread takes over what another one started.
    [ThreadStatic]
    private static RecordedPlace? _current;

    private static readonly AsyncLocal<RecordedPlace?> Flow = new(change =>
    {
        if (change.ThreadContextChanged) _current = change.CurrentValue;
    });

    private readonly CallRecorder _recorder;
    private readonly torch.nn.Module? _module;
    private readonly int _call;
    private readonly RecordedPlace? _within;
    private readonly RecordedPlace? _other;
    private bool _ran;

    /// <param name="recorder">Whose view this is.</param>
    /// <param name="module">The innermost module that is called; null at a root, and for one of Python's.</param>
    /// <param name="call">The number of its call, -1 at a root.</param>
    /// <param name="within">Where the call was made; null at a root.</param>
    /// <param name="other">The same thread as another recording sees it.</param>
    private RecordedPlace(CallRecorder recorder, torch.nn.Module? module, int call, RecordedPlace? within, RecordedPlace? other)
    {
        _recorder = recorder;
        _module = module;
        _call = call;
        _within = within;
        _other = other;
    }

    /// <summary>Where this thread is; null where nothing records it.</summary>
    internal static RecordedPlace? Current => CallRecorder.Active == 0 ? null : _current;

    /// <summary>A module is called here: its arguments.</summary>
    /// <param name="module">The module.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="flows">The module's <c>forward</c> may start tasks that call modules.</param>
    /// <returns>Where the thread is inside of the call, null when no recording sees it any more.</returns>
    internal RecordedPlace? Enter(torch.nn.Module module, object? arguments, bool flows)
    {
        var inside = Inside(this, module, arguments);
        Set(inside, flows);
        return inside;
    }

    /// <summary>The module of this place has a result.</summary>
    internal void Leave(object? result)
    {
        for (var place = this; place is not null; place = place._other)
            if (place._call >= 0) place._recorder.Result(place._call, result);
    }

    /// <summary>The call is over, whichever way: this thread is where it was before.</summary>
    /// <param name="place">Where it was.</param>
    /// <param name="flows">As it was given to <see cref="Enter"/>.</param>
    internal static void Return(RecordedPlace? place, bool flows = true)
    {
        if (!ReferenceEquals(_current, place) || flows) Set(place, flows);
    }

    /// <summary>A built-in's <c>forward</c> runs. The first time in a call of it that is the call's own; any other was run directly.</summary>
    internal bool IsDirect(torch.nn.Module module)
    {
        var direct = _module != module || _ran;
        for (var place = this; place is not null; place = place._other)
            if (place._module == module) place._ran = true;
        return direct;
    }

    /// <summary>Somebody ran a built-in's <c>forward</c> itself.</summary>
    internal void Bypass(torch.nn.Module module, torch.Tensor result)
    {
        for (var place = this; place is not null; place = place._other)
            if (place._call >= 0 || place._recorder.Knows(module.Id)) place._recorder.Bypass(module.Id, place._call, result);
    }

    /// <summary>From now on this thread is seen by the recording, at a root.</summary>
    /// <returns>False when it is seen already.</returns>
    internal static bool Open(CallRecorder recorder)
    {
        if (Of(recorder) is not null) return false;
        Set(new(recorder, null, -1, null, _current), flows: true);
        return true;
    }

    /// <summary>Undoes <see cref="Open"/>.</summary>
    internal static void Shut(CallRecorder recorder) => Set(With(_current, recorder, null), flows: true);

    /// <summary>A call that Python makes begins.</summary>
    /// <param name="recorder">The recording.</param>
    /// <param name="module">The module; null for one of Python's.</param>
    /// <param name="number">Its number.</param>
    /// <param name="root">It is recorded where no recorded call encloses it, too.</param>
    /// <param name="arguments">The arguments.</param>
    /// <returns>The number of the call, -1 when it is not recorded.</returns>
    internal static int Begin(CallRecorder recorder, torch.nn.Module? module, int number, bool root, object? arguments)
    {
        var place = Of(recorder);
        if (place is not { _call: >= 0 } && !root) return -1;
        var call = recorder.Begin(number, place?._call ?? -1, arguments);
        if (call >= 0) Set(With(_current, recorder, new(recorder, module, call, place, null)), flows: true);
        return call;
    }

    /// <summary>A call that Python makes is over. One that this thread has left already changes nothing.</summary>
    internal static void Close(CallRecorder recorder, int call)
    {
        for (var place = Of(recorder); place is not null; place = place._within)
        {
            if (place._call != call) continue;
            Set(With(_current, recorder, place._within), flows: true);
            return;
        }
    }

    /// <summary>Whether this thread is inside a call that the recording sees.</summary>
    internal static bool IsInside(CallRecorder recorder) => Of(recorder) is { _call: >= 0 };

    /// <summary>Observes a hooked call in the C# dispatcher.</summary>
    /// <param name="module">The module that is called.</param>
    /// <param name="recorded">What is recorded of its arguments.</param>
    internal ICallObserver<TIn, TOut> Observe<TIn, TOut>(torch.nn.Module module, Func<TIn, object?> recorded) => new Observer<TIn, TOut>(this, module, recorded);

    private static void Set(RecordedPlace? place, bool flows)
    {
        _current = place;
        if (flows) Flow.Value = place;
    }

    private static RecordedPlace? Of(CallRecorder recorder)
    {
        var place = _current;
        while (place is not null && place._recorder != recorder) place = place._other;
        return place;
    }

    private static RecordedPlace? Inside(RecordedPlace place, torch.nn.Module module, object? arguments)
    {
        var other = place._other is null ? null : Inside(place._other, module, arguments);
        if (place._recorder.Ended) return other;
        if (place._call < 0 && !place._recorder.Knows(module.Id)) return new(place._recorder, null, -1, place._within, other);
        var call = place._recorder.Begin(module.Id, place._call, arguments);
        return call < 0 ? other : new(place._recorder, module, call, place, other);
    }

    // The same places with one recording's replaced, added or (null) left out; those of ended recordings are dropped on the way.
    private static RecordedPlace? With(RecordedPlace? place, CallRecorder recorder, RecordedPlace? mine)
    {
        RecordedPlace? others = null;
        for (; place is not null; place = place._other)
            if (place._recorder != recorder && !place._recorder.Ended) others = place.Before(others);
        return mine is null ? others : mine.Before(others);
    }

    private RecordedPlace Before(RecordedPlace? other) => new(_recorder, _module, _call, _within, other) { _ran = _ran };

    private sealed class Observer<TIn, TOut>(RecordedPlace before, torch.nn.Module module, Func<TIn, object?> recorded) : ICallObserver<TIn, TOut>
    {
        private RecordedPlace? _inside;

        public int Entered(in TIn args)
        {
            _inside = before.Enter(module, recorded(args), flows: true);
            return 0;
        }

        public void Computed(int call, in TOut output) => _inside?.Leave(output);

        public void Left(int call) => Return(before);
    }
}
