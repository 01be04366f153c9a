using TorchSharp;

namespace Bridge.Interop;

/// <summary>The functions of CPython's C API that .NET calls.</summary>
/// <remarks>
/// <para>Errors: a function that fails sets CPython's error indicator. While the indicator is set, the behavior of calls to Python is
/// undefined. So the caller calls <see cref="FetchError"/> at once, which clears the indicator and returns the exception to throw. The
/// same is necessary after a call of libtorch in which Python code (a saved-tensor hook or a dispatch mode) raised.</para>
/// <para>GIL: Python calls C# functions with the GIL held. A <c>forward</c> runs without the GIL, as PyTorch's own operators do, since the
/// C# code may wait for threads that need the GIL to use Python's tensors.</para>
/// </remarks>
internal static unsafe partial class Python
{
    /// <summary>References to release when the GIL is next held.</summary>
    private static readonly System.Collections.Concurrent.ConcurrentQueue<IntPtr> Pending = new();

    // The length of the queue, updated shortly after the queue.
    private static int _pending;

    internal static bool HasThreadState => Imports.PyGILState_GetThisThreadState() != IntPtr.Zero;

    /// <summary>Returns the Python object of a tensor: the existing object if the tensor has one, else a new one.</summary>
    internal static OwnedReference WrapTensor(torch.Tensor tensor)
    {
        using var lease = tensor.Lease();
        return WrapHandle(lease.Handle);
    }

    /// <summary>Returns the Python object of the tensor that a handle refers to.</summary>
    internal static OwnedReference WrapHandle(IntPtr handle)
    {
        if (Imports.Wrap != 0) return ThrowIfNull(((delegate* unmanaged<IntPtr, OwnedReference>)Imports.Wrap)(handle));
        if (Imports.WrapByAbi != 0)
        {
            OwnedReference item;
            var code = ((delegate* unmanaged<IntPtr, IntPtr, OwnedReference*, int>)Imports.WrapByAbi)(handle, IntPtr.Zero, &item);
            if (code == 0) return item;
            throw HasError ? FetchError() : new InvalidOperationException("torch_tensor_to_pyobject failed.");
        }

        using var number = NewInt(handle);
        var argument = number.Borrow();
        return Call(Imports.Borrow, &argument, 1);
    }

    internal static OwnedReference NewInt(long value) => ThrowIfNull(Imports.PyLong_FromLongLong(value));

    /// <summary>Returns the value of an int that is known to have 64 bits or fewer.</summary>
    internal static long ToInt64Unchecked(BorrowedReference number) => Imports.PyLong_AsLongLong(number);

    /// <summary>Returns the value of an int.</summary>
    /// <exception cref="PythonException">TypeError or OverflowError: the object is not an int of 64 bits.</exception>
    internal static long ToInt64(BorrowedReference number)
    {
        var value = Imports.PyLong_AsLongLong(number);
        return value != -1 || !HasError ? value : throw FetchError();
    }

    /// <summary>Returns the text of a str.</summary>
    /// <exception cref="PythonException">The object is not a str, or UTF-8 cannot encode it.</exception>
    internal static string ToText(BorrowedReference text)
    {
        nint length;
        var bytes = Imports.PyUnicode_AsUTF8AndSize(text, &length);
        return bytes != null ? System.Text.Encoding.UTF8.GetString(bytes, checked((int)length)) : throw FetchError();
    }

    /// <summary>Calls a Python function with positional arguments.</summary>
    /// <exception cref="PythonException">The function raised.</exception>
    internal static OwnedReference Call(BorrowedReference function, BorrowedReference* arguments, int count) =>
        ThrowIfNull(Imports.PyObject_Vectorcall(function, arguments, (nuint)count, default));

    /// <summary>Calls a Python function with positional arguments; returns null, with the error pending, if the function raised.</summary>
    internal static OwnedReference TryCall(BorrowedReference function, BorrowedReference* arguments, int count) =>
        Imports.PyObject_Vectorcall(function, arguments, (nuint)count, default);

    internal static BorrowedReference TypeOf(BorrowedReference item) => new(*(IntPtr*)(item.Address + (nint)Imports.TypeOffset));

    /// <summary>Returns the version tag of a type, which identifies the type and its state; 0 if no tag is known.</summary>
    internal static uint VersionOf(BorrowedReference type) =>
        Imports.ClassVersionOffset == 0 ? 0 : *(uint*)(type.Address + (nint)Imports.ClassVersionOffset);

    internal static bool IsSubtype(BorrowedReference type, BorrowedReference other) =>
        type == other || Imports.PyType_IsSubtype(type, other) != 0;

    /// <summary>Returns whether the object is a torch.Tensor.</summary>
    /// <remarks><c>__class__</c> does not count: a mock or a weak proxy that claims to be a tensor has no TensorImpl.</remarks>
    internal static bool IsTensor(BorrowedReference item) => IsSubtype(TypeOf(item), Imports.Tensor);

    /// <summary>Returns a dictionary's value for a key; null if the dictionary lacks the key.</summary>
    internal static BorrowedReference GetItem(BorrowedReference dictionary, BorrowedReference key) =>
        Imports.PyDict_GetItemWithError(dictionary, key);

    internal static nint CountOf(BorrowedReference dictionary) => *(nint*)(dictionary.Address + (nint)Imports.CountOffset);

    /// <summary>Returns the address of the TensorImpl that a tensor object refers to now.</summary>
    internal static IntPtr TensorImplOf(BorrowedReference tensor) => *(IntPtr*)(tensor.Address + (nint)Imports.ImplOffset);

    /// <summary>Returns whether Python is freeing the object, so that a new reference would not keep it alive.</summary>
    /// <remarks>
    /// The reference count is 0 while Python runs the callbacks of the object's weak references. A callback may let other threads run,
    /// which can then meet the object.
    /// </remarks>
    internal static bool IsDying(BorrowedReference item) => ReferenceCount(item.Address) == 0;

    // CPython keeps the reference count right before the type.
    private static uint ReferenceCount(IntPtr item) => *(uint*)(item + (nint)Imports.TypeOffset - sizeof(IntPtr));

    internal static void IncRef(BorrowedReference item) => Imports.Py_IncRef(item);

    /// <summary>Releases a reference. The GIL is held.</summary>
    internal static void DecRef(IntPtr item)
    {
        // A decrement that frees nothing is as short as Py_IncRef, so it needs no GC transition.
        if (ReferenceCount(item) > 1) ((delegate* unmanaged[SuppressGCTransition]<IntPtr, void>)Imports.Py_DecRef)(item);
        else Imports.Py_DecRef(item);
    }

    /// <summary>Releases a reference when the GIL is next held.</summary>
    internal static void DecRefLater(IntPtr item)
    {
        Pending.Enqueue(item);
        Interlocked.Increment(ref _pending);
    }

    /// <summary>
    /// Releases the references that <see cref="DecRefLater"/> queued, and frees the handles that finalizers left. The caller holds the GIL.
    /// </summary>
    internal static void ReleasePending()
    {
        while (Volatile.Read(ref _pending) > 0 && Pending.TryDequeue(out var item))
        {
            Interlocked.Decrement(ref _pending);
            DecRef(item);
        }

        Torch.GuardedHandle.DrainOrphans();
    }

    /// <summary>Releases the GIL, which this thread holds, before the thread runs C# code.</summary>
    /// <returns>The thread state to pass to <see cref="TakeGil"/>.</returns>
    internal static IntPtr ReleaseGil()
    {
        GlobalHookDictionaries.Refresh();
        ActiveModes.Invalidate();
        Shutdown.BeginCompute();
        return Imports.PyEval_SaveThread();
    }

    internal static void TakeGil(IntPtr state)
    {
        Shutdown.Park();
        Imports.PyEval_RestoreThread(state);
        Shutdown.EndCompute();
    }

    /// <summary>Runs the user's C# code without the GIL, since the code may wait for threads that need the GIL.</summary>
    internal static T WithoutGil<T>(Func<T> run)
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

    /// <summary>Holds the GIL until this object is disposed, so that the thread can call Python.</summary>
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
            GlobalHookDictionaries.Refresh();
            ActiveModes.Invalidate();
            Imports.PyGILState_Release(_state);
            Shutdown.ExitPython(_before);
        }
    }
}
