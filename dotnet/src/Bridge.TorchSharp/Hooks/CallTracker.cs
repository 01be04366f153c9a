using System.Runtime.ExceptionServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The hooks of a module, which a <see cref="CallTracker"/> runs.</summary>
internal interface ITrackedModule
{
    object Module { get; }

    /// <summary>
    /// Begins a call. Returns null if the module has no hook now. The call then runs no hook, even if a hook is added during the call
    /// (C-5).
    /// </summary>
    TrackedCall? BeginCall();
}

/// <summary>A call of a module with hooks. The methods run the hooks.</summary>
internal abstract class TrackedCall
{
    /// <summary>The arguments.</summary>
    internal object?[] Args = [];

    /// <summary>The number of arguments, not counting those at the end that have their default values.</summary>
    internal int Given;

    /// <summary>The result; null before <c>forward</c> has returned.</summary>
    internal object? Output;

    /// <summary>Runs the pre hooks, which may replace <see cref="Args"/>.</summary>
    internal abstract void RunPreHooks();

    /// <summary>Runs the forward hooks, which may replace <see cref="Output"/>.</summary>
    internal abstract void RunForwardHooks();

    /// <summary>Runs the always-called forward hooks that have not started, after the call failed.</summary>
    internal abstract void Recover();
}

/// <summary>Runs hooks in the calls of a TorchSharp model, and the always-called hooks of the calls that an exception ended.</summary>
/// <remarks>
/// The tracker adds one TorchSharp pre hook and one forward hook to each module, in front of TorchSharp's other hooks. TorchSharp's
/// <c>call</c> runs no further hook once it fails. So the tracker runs the always-called hooks later: when one of its own two hooks next
/// runs on the thread, or when <see cref="Run{TResult}"/> ends. The hooks of inner calls run first. Codes such as A-3 and C-5 are clauses
/// of docs/contract.md.
/// </remarks>
internal sealed class CallTracker : IDisposable, ICallListenerFactory
{
    // The value of _threadCalls in the tracker that was last used on this thread: a thread-static field is read faster than a ThreadLocal.
    [ThreadStatic]
    private static ThreadCalls? _last;

    private readonly ThreadLocal<ThreadCalls> _threadCalls;
    private readonly BusyThreads _busy = new();
    private readonly ModelAttachment _attachment;
    private readonly Func<ModuleNode, ITrackedModule> _create;
    private readonly Action<Exception, ITrackedModule>? _failed;
    private bool _disposed;

    /// <param name="attachment">The modules of the model.</param>
    /// <param name="create">Creates the hooks of a module.</param>
    /// <param name="failed">
    /// Called with each exception that is thrown in a call, and the module of the innermost call; not called if it is unknown which call is
    /// the innermost.
    /// </param>
    internal CallTracker(
        ModelAttachment attachment, Func<ModuleNode, ITrackedModule> create, Action<Exception, ITrackedModule>? failed = null)
    {
        (_attachment, _create, _failed) = (attachment, create, failed);
        var busy = _busy;
        _threadCalls = new(() => new(busy));
        attachment.Attach(this);
        AppDomain.CurrentDomain.FirstChanceException += OnException;
    }

    /// <summary>
    /// Calls the model. If the call fails with an error, not an interrupt, the remaining always-called hooks run before the exception
    /// propagates.
    /// </summary>
    internal TResult Run<TResult>(Func<TResult> call)
    {
        var thread = Current();
        var count = thread.Open.Count;
        // Stays true if the call returns: the model may have caught exceptions of inner calls, whose always-called hooks have to run.
        var run = true;
        try
        {
            return call();
        }
        catch (Exception exception) when (NoteError(exception, out run))
        {
            throw; // Never reached: the filter returns false.
        }
        finally
        {
            thread.Recover(count, run);
            if (thread.Open.MayHaveEnded) thread.Open.Confirm(CallStack.Capture());
        }
    }

    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        AppDomain.CurrentDomain.FirstChanceException -= OnException;
        _attachment.Dispose();
    }

    CallListener<TArgs, TResult> ICallListenerFactory.CreateListener<TArgs, TResult>(
        ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result) =>
        new HookRunner<TArgs, TResult>(this, _create(node), arguments);

    private ThreadCalls Current() => _last is { } thread && ReferenceEquals(thread.Busy, _busy) ? thread : _last = _threadCalls.Value!;

    // An exception filter that sets `error` to false for an interrupt, else to true. It returns false, to catch nothing.
    private static bool NoteError(Exception exception, out bool error)
    {
        error = !InterruptCheck.IsInterrupt(exception);
        return false;
    }

    private void OnException(object? sender, FirstChanceExceptionEventArgs raised)
    {
        if (!_threadCalls.IsValueCreated) return;
        var thread = _threadCalls.Value!;
        // After an exception that was caught, the list may have calls that have ended.
        if (_failed is not null && !thread.Open.MayHaveEnded && thread.Open.Count > 0)
            _failed(raised.Exception, thread.Open[thread.Open.Count - 1].Hooks);
        thread.OnException(raised.Exception);
    }

    private sealed class HookRunner<TArgs, TResult>(CallTracker tracker, ITrackedModule hooks, Arguments<TArgs> arguments)
        : CallListener<TArgs, TResult>
    {
        internal override bool Entered(object module, ref TArgs args)
        {
            // TorchSharp also runs this hook in a call that began before the tracker was disposed.
            if (tracker._disposed) return false;
            ThreadStack.Check(module);
            TrackedCall? call = null;
            // Nothing has to be done when an outermost call without hooks ends, so it is not pushed.
            if (tracker._busy.Count == 0 && (call = hooks.BeginCall()) is null && tracker._failed is null) return false;
            var thread = tracker.Current();
            thread.CheckAlive(entering: true);
            call ??= hooks.BeginCall();
            thread.Push(new(hooks, call));
            if (call is null) return false;
            call.Args = arguments.Box(in args);
            call.Given = arguments.Count(in args);
            call.RunPreHooks();
            args = arguments.Unbox(call.Args);
            return true;
        }

        internal override void Computed(object module, in TArgs args, ref TResult result)
        {
            if (tracker._busy.Count == 0 || tracker._disposed) return;
            var thread = tracker.Current();
            thread.CheckAlive(entering: false);
            var last = thread.Open.Count - 1;
            // The call may have begun before the tracker was attached.
            if (last < 0 || thread.Open[last].Hooks != hooks) return;
            if (thread.Open[last].Call is { } call)
            {
                // TorchSharp's own pre hooks may have replaced the arguments.
                call.Args = arguments.Box(in args);
                call.Given = arguments.Count(in args);
                call.Output = result;
                call.RunForwardHooks();
                if (!ReferenceEquals(call.Output, result) && call.Output is not null) result = ValueReader<TResult>.Unbox(call.Output);
                // Ends calls that a hook made and whose exceptions the hook caught.
                thread.Recover(last + 1, run: true);
                if (thread.Open.MayHaveEnded) thread.Open.Confirm(CallStack.CaptureOutsideHook().Without);
            }

            thread.Pop();
        }
    }

    /// <summary>The number of a tracker's threads that have open calls.</summary>
    private sealed class BusyThreads
    {
        internal int Count;
    }

    /// <summary>The open calls of a thread.</summary>
    /// <param name="busy">Identifies the tracker. A reference to the tracker would keep its model alive as long as the thread.</param>
    private sealed class ThreadCalls(BusyThreads busy)
    {
        private bool _interrupted;

        internal BusyThreads Busy => busy;

        internal OpenCalls<OpenCall> Open { get; } = new();

        internal void Push(OpenCall call)
        {
            if (Open.Count == 0) Interlocked.Increment(ref busy.Count);
            Open.Push() = call;
        }

        internal void Pop()
        {
            Open.Pop();
            if (Open.Count == 0) Interlocked.Decrement(ref busy.Count);
        }

        internal void OnException(Exception exception)
        {
            Open.OnException();
            _interrupted = InterruptCheck.IsInterrupt(exception);
        }

        internal void CheckAlive(bool entering)
        {
            if (Open.MayHaveEnded) Recover(Open.CountAlive(entering, static call => call.Hooks.Module.GetType()), run: !_interrupted);
        }

        // Keeps the `count` outermost open calls. The others have ended: removes them, and then runs their always-called hooks, innermost
        // first, if `run` is true. All are removed before the first hook runs, because a hook may call modules, and the tracker's hooks in
        // these calls compare the open calls with the stack.
        internal void Recover(int count, bool run)
        {
            if (Open.Count <= count) return;
            var ended = new OpenCall[Open.Count - count];
            for (var i = 0; i < ended.Length; i++, Pop()) ended[i] = Open[Open.Count - 1];
            ExceptionDispatchInfo? replaced = null;
            foreach (var (_, call) in ended)
            {
                if (!run || call is null) continue;
                try
                {
                    call.Recover();
                }
                catch (Exception exception) when (!InterruptCheck.IsInterrupt(exception))
                {
                    // The failure of an always-called hook becomes a warning, so this exception was thrown by code that handles the
                    // warning. It replaces the exception that ended the call, and is thrown when the hooks of the outer calls have run.
                    replaced = ExceptionDispatchInfo.Capture(exception);
                }
            }

            replaced?.Throw();
        }
    }

    private readonly record struct OpenCall(ITrackedModule Hooks, TrackedCall? Call);
}
