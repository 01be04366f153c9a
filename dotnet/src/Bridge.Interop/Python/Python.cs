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

    /// <summary>References that wait for the GIL to be given back.</summary>
    private static readonly System.Collections.Concurrent.ConcurrentQueue<IntPtr> Dropped = new();

    // How many there are, or a few less.
    private static int _dropped;

    /// <summary>A new reference to Python's None.</summary>
    internal static IntPtr None()
    {
        Increase(Imports.None);
        return Imports.None;
    }

    /// <summary>A new reference to the Python object of a tensor, its very own if it has one.</summary>
    internal static IntPtr Wrap(torch.Tensor tensor)
    {
        using var lease = tensor.Lease();
        var handle = lease.Handle;
        if (Imports.Wrap != 0) return Checked(((delegate* unmanaged<IntPtr, IntPtr>)Imports.Wrap)(handle));
        if (Imports.WrapByAbi != 0)
        {
            IntPtr item;
            var code = ((delegate* unmanaged<IntPtr, IntPtr, IntPtr*, int>)Imports.WrapByAbi)(handle, IntPtr.Zero, &item);
            if (code == 0) return item;
            throw HasError ? Error() : new InvalidOperationException("torch_tensor_to_pyobject failed.");
        }
        var number = Number(handle);
        try
        {
            return Invoke(Imports.Borrow, &number, 1);
        }
        finally
        {
            Decrease(number);
        }
    }

    /// <summary>A new reference to an int.</summary>
    internal static IntPtr Number(long value) => Checked(Imports.PyLong_FromLongLong(value));

    /// <summary>The number of an int that <see cref="Number"/> could have made.</summary>
    internal static long Value(IntPtr number) => Imports.PyLong_AsLongLong(number);

    /// <summary>An int as an argument of an export.</summary>
    /// <exception cref="PythonException">A TypeError or OverflowError: it is not an int of 64 bits.</exception>
    internal static long Integer(IntPtr number)
    {
        var value = Imports.PyLong_AsLongLong(number);
        return value != -1 || !HasError ? value : throw Error();
    }

    /// <summary>A str as an argument of an export.</summary>
    /// <exception cref="PythonException">It is not a str, or not one that UTF-8 can encode.</exception>
    internal static string String(IntPtr text)
    {
        nint length;
        var bytes = Imports.PyUnicode_AsUTF8AndSize(text, &length);
        return bytes != null ? System.Text.Encoding.UTF8.GetString(bytes, checked((int)length)) : throw Error();
    }

    /// <summary>Calls a Python function; a new reference to its result.</summary>
    /// <exception cref="PythonException">It raised.</exception>
    internal static IntPtr Invoke(IntPtr function, IntPtr* arguments, int count) => Checked(Imports.PyObject_Vectorcall(function, arguments, (nuint)count, IntPtr.Zero));

    /// <summary>The type of an object, borrowed.</summary>
    internal static IntPtr TypeOf(IntPtr item) => *(IntPtr*)(item + (nint)Imports.TypeOffset);

    /// <summary>The version of a type, which no other type and no other state of it has; 0 if it is unknown.</summary>
    internal static uint VersionOf(IntPtr type) => Imports.ClassVersionOffset == 0 ? 0 : *(uint*)(type + (nint)Imports.ClassVersionOffset);

    /// <summary>A type is another or derives from it.</summary>
    internal static bool IsSubtype(IntPtr type, IntPtr other) => type == other || Imports.PyType_IsSubtype(type, other) != 0;

    /// <summary>The object is a torch.Tensor. What it says of its own class does not count: a mock or a weak proxy has no TensorImpl.</summary>
    internal static bool IsTensor(IntPtr item) => IsSubtype(TypeOf(item), Imports.Tensor);

    /// <summary>An entry of a dictionary, borrowed; zero if it has none of that name.</summary>
    internal static IntPtr Item(IntPtr dictionary, IntPtr name) => Imports.PyDict_GetItemWithError(dictionary, name);

    /// <summary>The address of the TensorImpl that a tensor object refers to now.</summary>
    internal static IntPtr Impl(IntPtr tensor) => *(IntPtr*)(tensor + (nint)Imports.ImplOffset);

    /// <summary>Python frees the object now, though its memory and what it holds are still there: a reference to it would keep nothing.</summary>
    /// <remarks>The count is 0 while callbacks of weak references run, which may let other threads go on.</remarks>
    internal static bool IsDying(IntPtr item) => Count(item) == 0;

    // The references to an object, whose number precedes its type.
    private static uint Count(IntPtr item) => *(uint*)(item + (nint)Imports.TypeOffset - sizeof(IntPtr));

    internal static void Increase(IntPtr item) => Imports.Py_IncRef(item);

    internal static void Decrease(IntPtr item)
    {
        // Where it frees nothing it is as short as Py_IncRef. The GIL is held.
        if (Count(item) > 1) ((delegate* unmanaged[SuppressGCTransition]<IntPtr, void>)Imports.Py_DecRef)(item);
        else Imports.Py_DecRef(item);
    }

    /// <summary>The thread is one that Python knows.</summary>
    internal static bool IsPythonsThread => Imports.PyGILState_GetThisThreadState() != IntPtr.Zero;

    /// <summary>Releases the GIL, which the thread holds, to run C#.</summary>
    internal static IntPtr ReleaseGil()
    {
        Watching.Refresh();
        Surroundings.Forget();
        Shutdown.BeginCompute();
        return Imports.PyEval_SaveThread();
    }

    /// <summary>Takes the GIL back.</summary>
    internal static void TakeGil(IntPtr state)
    {
        Shutdown.Park();
        Imports.PyEval_RestoreThread(state);
        Shutdown.EndCompute();
    }

    /// <summary>Runs C# of the user's, which may wait for threads that need the GIL, without it.</summary>
    internal static T Released<T>(Func<T> run)
    {
        var gil = ReleaseGil();
        try
        {
            return run();
        }
        finally
        {
            TakeGil(gil);
        }
    }

    /// <summary>Gives a reference back, now or when the GIL is next held.</summary>
    internal static void Drop(IntPtr reference)
    {
        Dropped.Enqueue(reference);
        Interlocked.Increment(ref _dropped);
    }

    /// <summary>Gives back what waited. The GIL is held.</summary>
    internal static void Drain()
    {
        while (Volatile.Read(ref _dropped) > 0 && Dropped.TryDequeue(out var reference))
        {
            Interlocked.Decrement(ref _dropped);
            Decrease(reference);
        }

        Torch.GuardedHandle.DrainOrphans();
    }

    /// <summary>The GIL, which this thread holds for the lifetime of this object in order to call Python.</summary>
    internal readonly ref struct Gil : IDisposable
    {
        private readonly bool _before;
        private readonly int _state;

        public Gil()
        {
            _before = Shutdown.EnterPython();
            _state = Imports.PyGILState_Ensure();
        }

        public void Dispose()
        {
            Watching.Refresh();
            Surroundings.Forget();
            Imports.PyGILState_Release(_state);
            Shutdown.ExitPython(_before);
        }
    }
}
