using TorchSharp;

namespace Bridge.Interop;

/// <summary>The few functions of CPython's C API that must be called from here, by address.</summary>
/// <remarks>
/// Exceptions. A function that fails leaves CPython's error indicator set; it is taken out at once (<see cref="Error"/>), since any entry into
/// Python with it set is undefined, and travels as a <see cref="PythonException"/>. So does one that an ABI call leaves, below which Python
/// code raised (saved-tensor hooks, a dispatch mode).
/// GIL. Exports are entered holding it. A forward runs without it, as PyTorch's own operators do: C# may use threads of its own, and
/// a worker that touches a tensor known to Python needs the GIL.
/// </remarks>
internal static unsafe partial class Python
{
    private static delegate* unmanaged<int> _ensure;
    private static delegate* unmanaged<int, void> _release;
    private static delegate* unmanaged<IntPtr> _save;
    private static delegate* unmanaged<IntPtr, void> _restore;
    private static delegate* unmanaged<IntPtr> _occurred;
    private static delegate* unmanaged<IntPtr> _raised;
    private static delegate* unmanaged<IntPtr*, IntPtr*, IntPtr*, void> _fetch;
    private static delegate* unmanaged<IntPtr*, IntPtr*, IntPtr*, void> _normalize;
    private static delegate* unmanaged<IntPtr, void> _increase;
    private static delegate* unmanaged<IntPtr, void> _decrease;
    private static delegate* unmanaged<IntPtr, IntPtr, int> _matches;
    private static delegate* unmanaged<IntPtr, IntPtr, int> _setTraceback;
    private static delegate* unmanaged<IntPtr> _threadState;
    private static delegate* unmanaged<long, IntPtr> _number;
    private static delegate* unmanaged<IntPtr, long> _value;
    private static delegate* unmanaged<IntPtr, IntPtr*, nuint, IntPtr, IntPtr> _vectorcall;
    private static delegate* unmanaged<IntPtr, IntPtr, int> _isSubtype;
    private static delegate* unmanaged<IntPtr, IntPtr, IntPtr> _item;
    private static delegate* unmanaged<IntPtr, IntPtr> _wrap;
    private static IntPtr _exceptionType;
    private static IntPtr _tensorType;
    private static IntPtr _none;
    private static IntPtr _borrow;
    private static int _typeOffset;

    /// <summary>Byte offset of the TensorImpl pointer in Python's tensor object, found by Python.</summary>
    internal static int ImplOffset { get; private set; }

    /// <summary>Byte offset of the number of entries in a dictionary, found by Python.</summary>
    internal static int CountOffset { get; private set; }

    /// <summary>References that wait for the GIL to be given back.</summary>
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
        _increase = (delegate* unmanaged<IntPtr, void>)table[8];
        _decrease = (delegate* unmanaged<IntPtr, void>)table[9];
        _matches = (delegate* unmanaged<IntPtr, IntPtr, int>)table[10];
        _setTraceback = (delegate* unmanaged<IntPtr, IntPtr, int>)table[11];
        _threadState = (delegate* unmanaged<IntPtr>)table[12];
        _number = (delegate* unmanaged<long, IntPtr>)table[13];
        _value = (delegate* unmanaged<IntPtr, long>)table[14];
        _vectorcall = (delegate* unmanaged<IntPtr, IntPtr*, nuint, IntPtr, IntPtr>)table[15];
        _isSubtype = (delegate* unmanaged<IntPtr, IntPtr, int>)table[16];
        _item = (delegate* unmanaged<IntPtr, IntPtr, IntPtr>)table[17];
        _exceptionType = (IntPtr)table[18];
        _tensorType = (IntPtr)table[19];
        _none = (IntPtr)table[20];
        ImplOffset = (int)table[21];
        CountOffset = (int)table[22];
        _typeOffset = (int)table[23];
        Torch.Native.Abi.Failure = Pending;
    }

    /// <param name="wrap">The function that makes a tensor's Python object from a handle; zero if this torch hides it.</param>
    /// <param name="borrow">The Python function that does so on any torch.</param>
    internal static void BindWrap(long wrap, long borrow)
    {
        _wrap = (delegate* unmanaged<IntPtr, IntPtr>)wrap;
        _borrow = (IntPtr)borrow;
    }

    /// <summary>A new reference to Python's None.</summary>
    internal static IntPtr None()
    {
        Increase(_none);
        return _none;
    }

    /// <summary>A new reference to the Python object of a tensor, its very own if it has one.</summary>
    internal static IntPtr Wrap(IntPtr handle)
    {
        if (_wrap != null) return Checked(_wrap(handle));
        var number = Number(handle);
        try
        {
            return Invoke(_borrow, &number, 1);
        }
        finally
        {
            Decrease(number);
        }
    }

    /// <summary>A new reference to an int.</summary>
    internal static IntPtr Number(long value) => Checked(_number(value));

    /// <summary>What an int that <see cref="Number"/> could have made stands for.</summary>
    internal static long Value(IntPtr number) => _value(number);

    /// <summary>Calls a Python function; a new reference to its result.</summary>
    /// <exception cref="PythonException">It raised.</exception>
    internal static IntPtr Invoke(IntPtr function, IntPtr* arguments, int count) => Checked(_vectorcall(function, arguments, (nuint)count, IntPtr.Zero));

    /// <summary>The type of an object, borrowed.</summary>
    internal static IntPtr TypeOf(IntPtr item) => *(IntPtr*)(item + _typeOffset);

    /// <summary>A type is another or derives from it.</summary>
    internal static bool IsSubtype(IntPtr type, IntPtr other) => type == other || _isSubtype(type, other) != 0;

    /// <summary>The object is a torch.Tensor. What it says of its own class does not count: a mock or a weak proxy has no TensorImpl.</summary>
    internal static bool IsTensor(IntPtr item) => IsSubtype(TypeOf(item), _tensorType);

    /// <summary>An entry of a dictionary, borrowed; zero if it has none of that name.</summary>
    internal static IntPtr Item(IntPtr dictionary, IntPtr name) => _item(dictionary, name);

    /// <summary>The address of the TensorImpl that a tensor object stands for now.</summary>
    internal static IntPtr Impl(IntPtr tensor) => *(IntPtr*)(tensor + ImplOffset);

    internal static void Increase(IntPtr item) => _increase(item);

    internal static void Decrease(IntPtr item) => _decrease(item);

    /// <summary>The thread is one that Python knows.</summary>
    internal static bool IsPythonsThread => _threadState() != IntPtr.Zero;

    /// <summary>Gives up the GIL, which the thread holds, to run C#.</summary>
    internal static IntPtr ReleaseGil()
    {
        Watching.Refresh();
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

    /// <summary>Gives a reference back, now or when the GIL is next held.</summary>
    internal static void Drop(IntPtr reference) => Dropped.Enqueue(reference);

    /// <summary>The GIL is held: give back what waited.</summary>
    internal static void Drain()
    {
        while (Dropped.TryDequeue(out var reference)) Decrease(reference);
        torch.Tensor.DrainOrphans();
    }

    /// <summary>The GIL, held by this thread from its making to its end to call Python, whoever held it before.</summary>
    internal readonly ref struct Gil : IDisposable
    {
        private readonly bool _before;
        private readonly int _state;

        public Gil()
        {
            _before = Leaving.IntoPython();
            _state = _ensure();
        }

        public void Dispose()
        {
            Watching.Refresh();
            _release(_state);
            Leaving.OutOfPython(_before);
        }
    }
}
