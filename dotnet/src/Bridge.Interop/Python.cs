using System.Runtime.InteropServices;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The few functions of CPython's C API that must be called from here, by address, and Python's callbacks.</summary>
/// <remarks>
/// Exceptions. A callback never raises through us: it stores nothing, hands over a new reference to the exception object and returns a code, and
/// we throw <see cref="PythonException"/>. An ABI call below which Python code raised (saved-tensor hooks, a dispatch mode) leaves CPython's
/// error indicator set; <see cref="Pending"/> takes it out at once, since any entry into Python with it set is undefined.
/// GIL. Exports are entered holding it. A forward runs without it, as PyTorch's own operators do: C# may use threads of its own, and
/// a worker that touches a tensor known to Python needs the GIL.
/// </remarks>
internal static unsafe class Python
{
    private static delegate* unmanaged<int> _ensure;
    private static delegate* unmanaged<int, void> _release;
    private static delegate* unmanaged<IntPtr> _save;
    private static delegate* unmanaged<IntPtr, void> _restore;
    private static delegate* unmanaged<IntPtr> _occurred;
    private static delegate* unmanaged<IntPtr> _raised;
    private static delegate* unmanaged<IntPtr*, IntPtr*, IntPtr*, void> _fetch;
    private static delegate* unmanaged<IntPtr*, IntPtr*, IntPtr*, void> _normalize;
    private static delegate* unmanaged<IntPtr, void> _decrease;
    private static delegate* unmanaged<IntPtr, IntPtr, int> _matches;
    private static delegate* unmanaged<IntPtr, IntPtr, int> _setTraceback;
    private static delegate* unmanaged<IntPtr> _threadState;
    private static IntPtr _exceptionType;
    private static delegate* unmanaged<IntPtr, IntPtr> _wrap;
    private static delegate* unmanaged<IntPtr, void> _increase;
    private static IntPtr _none;

    /// <summary>Calls the mirror of a module: (module, arguments, count, results, capacity, result count, exception) -> code.</summary>
    private static delegate* unmanaged<long, Value*, int, Value*, int, int*, IntPtr*, long*, void> _callMirror;

    /// <summary>The same for one tensor, a borrowed handle: gives an owned handle, or zero when there is another outcome to take.</summary>
    private static delegate* unmanaged<long, IntPtr, long*, void> _callMirrorWithTensor;

    /// <summary>What the thread's last call of the above came to: (results, capacity, count, exception) -> code.</summary>
    private static delegate* unmanaged<Value*, int, int*, IntPtr*, long*, void> _takeOutcome;

    /// <summary>Fetches what a mirror has now: (module, compute, exception) -> code.</summary>
    private static delegate* unmanaged<long, int, IntPtr*, long*, void> _synchronize;

    /// <summary>Enters or removes a hook: (module, hook, flags, exception) -> code.</summary>
    private static delegate* unmanaged<long, long, int, IntPtr*, long*, void> _changeHook;

    /// <summary>Takes over a training flag: (module, flag, exception) -> code.</summary>
    private static delegate* unmanaged<long, int, IntPtr*, long*, void> _train;

    /// <summary>Byte offset of the TensorImpl pointer in Python's tensor object, found by Python.</summary>
    internal static int ImplOffset { get; private set; }

    /// <summary>References to exception objects that wait for the GIL.</summary>
    private static readonly System.Collections.Concurrent.ConcurrentQueue<IntPtr> Dropped = new();

    /// <param name="table">The addresses, in the order that <c>bridge.clr.capi</c> writes them.</param>
    internal static void Bind(long* table)
    {
        _ensure = (delegate* unmanaged<int>)table[0];
        _release = (delegate* unmanaged<int, void>)table[1];
        _save = (delegate* unmanaged<IntPtr>)table[2];
        _restore = (delegate* unmanaged<IntPtr, void>)table[3];
        _occurred = (delegate* unmanaged<IntPtr>)table[4];
        _raised = (delegate* unmanaged<IntPtr>)table[5];
        _fetch = (delegate* unmanaged<IntPtr*, IntPtr*, IntPtr*, void>)table[6];
        _normalize = (delegate* unmanaged<IntPtr*, IntPtr*, IntPtr*, void>)table[7];
        _decrease = (delegate* unmanaged<IntPtr, void>)table[8];
        _matches = (delegate* unmanaged<IntPtr, IntPtr, int>)table[9];
        _setTraceback = (delegate* unmanaged<IntPtr, IntPtr, int>)table[10];
        _threadState = (delegate* unmanaged<IntPtr>)table[11];
        _exceptionType = (IntPtr)table[12];
        ImplOffset = (int)table[13];
        Torch.Native.Abi.Failure = Pending;
    }

    /// <param name="table">The addresses of the callbacks, in the order that <c>bridge.mirror.callbacks</c> writes them.</param>
    internal static void BindCallbacks(long* table)
    {
        _callMirror = (delegate* unmanaged<long, Value*, int, Value*, int, int*, IntPtr*, long*, void>)table[0];
        _synchronize = (delegate* unmanaged<long, int, IntPtr*, long*, void>)table[1];
        _changeHook = (delegate* unmanaged<long, long, int, IntPtr*, long*, void>)table[2];
        _train = (delegate* unmanaged<long, int, IntPtr*, long*, void>)table[3];
        _callMirrorWithTensor = (delegate* unmanaged<long, IntPtr, long*, void>)table[4];
        _takeOutcome = (delegate* unmanaged<Value*, int, int*, IntPtr*, long*, void>)table[5];
        _wrap = (delegate* unmanaged<IntPtr, IntPtr>)table[6];
        _none = (IntPtr)table[7];
        _increase = (delegate* unmanaged<IntPtr, void>)table[8];
    }

    /// <summary>A new reference to Python's None.</summary>
    internal static IntPtr None()
    {
        _increase(_none);
        return _none;
    }

    /// <summary>A new reference to the Python object of a tensor, or zero if this torch has no such function.</summary>
    internal static IntPtr Wrap(IntPtr handle) => _wrap != null ? _wrap(handle) : IntPtr.Zero;

    /// <summary>The thread is one that Python knows.</summary>
    internal static bool IsPythonsThread => _threadState() != IntPtr.Zero;

    /// <summary>Gives up the GIL, which the thread holds.</summary>
    internal static IntPtr ReleaseGil()
    {
        Leaving.Enter();
        return _save();
    }

    /// <summary>Takes the GIL back.</summary>
    internal static void TakeGil(IntPtr state)
    {
        Leaving.Park();
        _restore(state);
        Leaving.Exit();
    }

    // A callback tells by this word how it ended, and by nothing else: one that is interrupted before its first instruction returns garbage.
    private const long Lost = -1;

    private static long Finished(long outcome) => outcome != Lost ? outcome : throw Boundary.Raised(IntPtr.Zero, interrupt: true);

    internal static int CallMirror(long id, Value* arguments, int count, Value* results, int capacity, int* given, IntPtr* exception)
    {
        var before = Leaving.IntoPython();
        var outcome = Lost;
        _callMirror(id, arguments, count, results, capacity, given, exception, &outcome);
        Leaving.OutOfPython(before);
        return (int)Finished(outcome);
    }

    internal static IntPtr CallMirrorWithTensor(long id, IntPtr handle)
    {
        var before = Leaving.IntoPython();
        var outcome = Lost;
        _callMirrorWithTensor(id, handle, &outcome);
        Leaving.OutOfPython(before);
        return (IntPtr)Finished(outcome);
    }

    internal static int TakeOutcome(Value* results, int capacity, int* given, IntPtr* exception)
    {
        var before = Leaving.IntoPython();
        var outcome = Lost;
        _takeOutcome(results, capacity, given, exception, &outcome);
        Leaving.OutOfPython(before);
        return (int)Finished(outcome);
    }

    internal static int Synchronize(long id, int compute, IntPtr* exception)
    {
        var before = Leaving.IntoPython();
        var outcome = Lost;
        _synchronize(id, compute, exception, &outcome);
        Leaving.OutOfPython(before);
        return (int)Finished(outcome);
    }

    internal static int ChangeHook(long id, long number, int flags, IntPtr* exception)
    {
        var before = Leaving.IntoPython();
        var outcome = Lost;
        _changeHook(id, number, flags, exception, &outcome);
        Leaving.OutOfPython(before);
        return (int)Finished(outcome);
    }

    internal static int Train(long id, int training, IntPtr* exception)
    {
        var before = Leaving.IntoPython();
        var outcome = Lost;
        _train(id, training, exception, &outcome);
        Leaving.OutOfPython(before);
        return (int)Finished(outcome);
    }

    /// <summary>Throws what a callback brought: 0 nothing, 1 an Exception, 2 a BaseException that is no Exception .</summary>
    internal static void Check(int code, IntPtr exception)
    {
        if (code == 0) return;
        throw Boundary.Raised(exception, code == 2);
    }

    /// <summary>Gives a reference back, now or when the GIL is next held.</summary>
    internal static void Drop(IntPtr reference) => Dropped.Enqueue(reference);

    /// <summary>The GIL is held: give back what waited.</summary>
    internal static void Drain()
    {
        while (Dropped.TryDequeue(out var reference)) _decrease(reference);
        torch.Tensor.DrainOrphans();
    }

    /// <summary>Takes a pending Python error out of the interpreter.</summary>
    private static Exception? Pending()
    {
        Leaving.Park();
        var state = _ensure();
        try
        {
            if (_occurred() == IntPtr.Zero) return null;
            IntPtr exception;
            if (_raised != null)
            {
                exception = _raised();
            }
            else
            {
                // Python 3.11 keeps type, value and traceback apart; normalized, the value is the exception object.
                IntPtr type, value, traceback;
                _fetch(&type, &value, &traceback);
                _normalize(&type, &value, &traceback);
                exception = value;
                if (type != IntPtr.Zero) _decrease(type);
                if (traceback != IntPtr.Zero)
                {
                    _setTraceback(value, traceback);
                    _decrease(traceback);
                }
            }

            return Boundary.Raised(exception, _matches(exception, _exceptionType) == 0);
        }
        finally
        {
            _release(state);
        }
    }
}

/// <summary>
/// A Python exception on its way through C#. It is raised again, the very same object, where Python called; C# may catch it like any other.
/// </summary>
public unsafe class PythonException : Exception, Hooks.IForeignException
{
    // In CPython's object: its type; in the type: its name.
    private const int TypeOffset = 8;
    private const int NameOffset = 24;

    private IntPtr _object;

    internal PythonException(IntPtr exception)
        : base("A Python exception passes through; it is raised again where Python called .NET.") => _object = exception;

    /// <summary>Gives the reference back when the GIL is next held.</summary>
    ~PythonException()
    {
        var reference = Interlocked.Exchange(ref _object, IntPtr.Zero);
        if (reference != IntPtr.Zero) Python.Drop(reference);
    }

    /// <summary>The name of its class in Python, such as <c>ValueError</c>.</summary>
    public string TypeName
    {
        get
        {
            if (_object == IntPtr.Zero) return "KeyboardInterrupt";
            var type = *(IntPtr*)(_object + TypeOffset);
            return Marshal.PtrToStringUTF8(*(IntPtr*)(type + NameOffset))!.Split('.')[^1];
        }
    }

    /// <summary>The exception object, borrowed.</summary>
    internal IntPtr Object => _object;

    /// <summary>What C# threw, if Python only hands that back.</summary>
    internal Exception? StandsFor { get; set; }
}

/// <summary>A Python exception that is no error (KeyboardInterrupt, SystemExit): nothing may swallow it, always-called hooks do not see it .</summary>
public sealed class PythonInterrupt : PythonException, Hooks.INotAnError
{
    internal PythonInterrupt(IntPtr exception) : base(exception) { }
}
