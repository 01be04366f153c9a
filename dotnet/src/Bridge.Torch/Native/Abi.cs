using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Bridge.Torch.Vision;

namespace Bridge.Torch.Native;

/// <summary>The functions of libtorch's stable C ABI, resolved from the library file that is passed to <see cref="Bind"/>.</summary>
/// <remarks>
/// The functions are fields, not <c>DllImport</c>s. An import probes the assembly's folder first and could load a second libtorch, which
/// crashes the process. Also, the field of an optional function can be null, for a torch that lacks the function. Pass each returned code
/// to <see cref="Check"/>, because a failed call may leave a Python error pending (see <see cref="Failure"/>).
/// </remarks>
internal static unsafe partial class Abi
{
    private static readonly object Binding = new();

    // Written last, with release semantics, and read first, with acquire semantics: a thread that reads true can read the pointers.
    private static bool _ready;

    /// <summary>
    /// Creates another handle to a tensor. The garbage collector waits for this call, so the call must never wait for the GIL.
    /// </summary>
    /// <remarks>
    /// From torch 2.10 on (c10/util/intrusive_ptr.h), increasing the reference count from one to two takes the GIL if the tensor has a
    /// Python object. In this call, the Python object and the caller's handle hold a reference each, so the count is already two or more.
    /// In <see cref="assign"/>, the Python object may hold the only reference, so the thread must hold the GIL.
    /// </remarks>
    internal static delegate* unmanaged[SuppressGCTransition]<IntPtr, IntPtr*, int> new_tensor_handle;
    internal static delegate* unmanaged<IntPtr*, int> new_undefined;
    /// <summary>Makes an empty handle refer to a tensor.</summary>
    internal static delegate* unmanaged[SuppressGCTransition]<IntPtr, IntPtr, int> assign;
    /// <summary>Makes a handle refer to another tensor. This may free the first tensor, which may run any code.</summary>
    internal static delegate* unmanaged<IntPtr, IntPtr, int> reassign;
    internal static delegate* unmanaged<IntPtr, int> delete_tensor;
    internal static delegate* unmanaged<byte*, byte*, ulong*, ulong, int> call_dispatcher;
    internal static delegate* unmanaged<ulong**, int> new_ivalue;
    internal static delegate* unmanaged<nuint, IntPtr*, int> new_list;
    internal static delegate* unmanaged<IntPtr, ulong, int> list_push_back;
    internal static delegate* unmanaged<IntPtr, int> delete_list;
    internal static delegate* unmanaged<IntPtr, nuint*, int> list_size;
    internal static delegate* unmanaged<IntPtr, nuint, ulong*, int> list_get_item;
    internal static delegate* unmanaged<byte*, nuint, IntPtr*, int> new_string;
    internal static delegate* unmanaged<byte> grad_enabled;
    internal static delegate* unmanaged<byte, void> set_grad_enabled;
    internal static delegate* unmanaged<IntPtr, byte, int> set_requires_grad;
    internal static delegate* unmanaged<IntPtr, long*, int> get_dim;
    internal static delegate* unmanaged<IntPtr, long*, int> get_numel;
    internal static delegate* unmanaged<IntPtr, long**, int> get_sizes;
    internal static delegate* unmanaged<IntPtr, long**, int> get_strides;
    internal static delegate* unmanaged<IntPtr, int*, int> get_dtype;
    internal static delegate* unmanaged<IntPtr, int*, int> get_device_type;
    internal static delegate* unmanaged<IntPtr, int*, int> get_layout;
    internal static delegate* unmanaged<IntPtr, int*, int> get_device_index;
    internal static delegate* unmanaged<IntPtr, long*, int> get_storage_offset;
    internal static delegate* unmanaged<IntPtr, long*, int> get_storage_size;
    internal static delegate* unmanaged<int, nuint> dtype_size;
    internal static delegate* unmanaged<IntPtr, byte*, int> is_defined;
    internal static delegate* unmanaged<IntPtr, byte*, int> is_contiguous;
    internal static delegate* unmanaged<IntPtr, void**, int> const_data_ptr;
    // The function for writes: it first copies memory that a lazy clone shares.
    internal static delegate* unmanaged<IntPtr, void**, int> mutable_data_ptr;
    internal static delegate* unmanaged<IntPtr, double*, int> item_float64;
    internal static delegate* unmanaged<IntPtr, long*, int> item_int64;
    internal static delegate* unmanaged<double, IntPtr*, int> scalar_float64;
    internal static delegate* unmanaged<long, IntPtr*, int> scalar_int64;
    internal static delegate* unmanaged<void*, long, long*, long*, long, int, int, int, IntPtr*, int, byte*, long, int> from_blob;
    /// <summary>
    /// Null before torch 2.11. The last two arguments are the deleter and its context: libtorch calls <c>deleter(data, context)</c>.
    /// </summary>
    internal static delegate* unmanaged<void*, long, long*, long*, long, int, int, int, IntPtr*, int, byte*, long, void*, void*,
        int> blob_with_deleter;
    internal static delegate* unmanaged<IntPtr, IntPtr, double, IntPtr*, int> subtract;
    private static delegate* unmanaged<ulong> abi_version;
    private static delegate* unmanaged<byte*> exception_what;
    private static delegate* unmanaged<byte*> exception_whole;

    /// <summary>Gets the ABI version, MAJ.MIN.PATCH in the top three bytes.</summary>
    internal static ulong Version { get; private set; }

    /// <summary>
    /// Gets or sets the function to call right after a failed call. Python code that the call ran, such as a saved-tensor hook, may have
    /// left its error pending. Then the function clears that error and returns the exception to throw; otherwise it returns null.
    /// </summary>
    internal static Func<Exception?>? Failure { get; set; }

    /// <summary>Binds the functions. Does nothing if they are already bound.</summary>
    /// <param name="path">Full path of libtorch_cpu (<c>torch/lib/libtorch_cpu.so</c>).</param>
    /// <exception cref="DllNotFoundException">The library cannot be loaded.</exception>
    /// <exception cref="NotSupportedException">The library is older than torch 2.10.</exception>
    internal static void Bind(string path)
    {
        // Only the first thread binds: a second binding would overwrite the pointers that Intercept has set.
        lock (Binding)
            if (!_ready) BindOnce(path);
    }

    private static void BindOnce(string path)
    {
        var library = NativeLibrary.Load(path);
        IntPtr Get(string name) => NativeLibrary.TryGetExport(library, name, out var address) ? address : IntPtr.Zero;
        IntPtr Need(string name)
        {
            var address = Get(name);
            return address != IntPtr.Zero ? address
                : throw new NotSupportedException($"{path} lacks '{name}'. Bridge.Torch needs torch 2.10 or newer.");
        }

        abi_version = (delegate* unmanaged<ulong>)Need("aoti_torch_abi_version");
        call_dispatcher = (delegate* unmanaged<byte*, byte*, ulong*, ulong, int>)Need("torch_call_dispatcher");
        new_tensor_handle = (delegate* unmanaged[SuppressGCTransition]<IntPtr, IntPtr*, int>)Need("aoti_torch_new_tensor_handle");
        new_undefined = (delegate* unmanaged<IntPtr*, int>)Need("aoti_torch_new_uninitialized_tensor");
        assign = (delegate* unmanaged[SuppressGCTransition]<IntPtr, IntPtr, int>)Need("aoti_torch_assign_tensors");
        reassign = (delegate* unmanaged<IntPtr, IntPtr, int>)Need("aoti_torch_assign_tensors");
        delete_tensor = (delegate* unmanaged<IntPtr, int>)Need("aoti_torch_delete_tensor_object");
        new_list = (delegate* unmanaged<nuint, IntPtr*, int>)Need("torch_new_list_reserve_size");
        list_push_back = (delegate* unmanaged<IntPtr, ulong, int>)Need("torch_list_push_back");
        delete_list = (delegate* unmanaged<IntPtr, int>)Need("torch_delete_list");
        list_size = (delegate* unmanaged<IntPtr, nuint*, int>)Need("torch_list_size");
        list_get_item = (delegate* unmanaged<IntPtr, nuint, ulong*, int>)Need("torch_list_get_item");
        new_string = (delegate* unmanaged<byte*, nuint, IntPtr*, int>)Need("torch_new_string_handle");
        grad_enabled = (delegate* unmanaged<byte>)Need("aoti_torch_grad_mode_is_enabled");
        set_grad_enabled = (delegate* unmanaged<byte, void>)Need("aoti_torch_grad_mode_set_enabled");
        set_requires_grad = (delegate* unmanaged<IntPtr, byte, int>)Need("torch_set_requires_grad");
        get_dim = (delegate* unmanaged<IntPtr, long*, int>)Need("aoti_torch_get_dim");
        get_numel = (delegate* unmanaged<IntPtr, long*, int>)Need("aoti_torch_get_numel");
        get_sizes = (delegate* unmanaged<IntPtr, long**, int>)Need("aoti_torch_get_sizes");
        get_strides = (delegate* unmanaged<IntPtr, long**, int>)Need("aoti_torch_get_strides");
        get_dtype = (delegate* unmanaged<IntPtr, int*, int>)Need("aoti_torch_get_dtype");
        get_device_type = (delegate* unmanaged<IntPtr, int*, int>)Need("aoti_torch_get_device_type");
        get_layout = (delegate* unmanaged<IntPtr, int*, int>)Need("aoti_torch_get_layout");
        get_device_index = (delegate* unmanaged<IntPtr, int*, int>)Need("aoti_torch_get_device_index");
        get_storage_offset = (delegate* unmanaged<IntPtr, long*, int>)Need("aoti_torch_get_storage_offset");
        get_storage_size = (delegate* unmanaged<IntPtr, long*, int>)Need("aoti_torch_get_storage_size");
        dtype_size = (delegate* unmanaged<int, nuint>)Need("aoti_torch_dtype_element_size");
        is_defined = (delegate* unmanaged<IntPtr, byte*, int>)Need("aoti_torch_is_defined");
        is_contiguous = (delegate* unmanaged<IntPtr, byte*, int>)Need("aoti_torch_is_contiguous");
        const_data_ptr = (delegate* unmanaged<IntPtr, void**, int>)Need("torch_get_const_data_ptr");
        mutable_data_ptr = (delegate* unmanaged<IntPtr, void**, int>)Need("torch_get_mutable_data_ptr");
        item_float64 = (delegate* unmanaged<IntPtr, double*, int>)Need("aoti_torch_item_float64");
        item_int64 = (delegate* unmanaged<IntPtr, long*, int>)Need("aoti_torch_item_int64");
        scalar_float64 = (delegate* unmanaged<double, IntPtr*, int>)Need("aoti_torch_scalar_to_tensor_float64");
        scalar_int64 = (delegate* unmanaged<long, IntPtr*, int>)Need("aoti_torch_scalar_to_tensor_int64");
        from_blob = (delegate* unmanaged<void*, long, long*, long*, long, int, int, int, IntPtr*, int, byte*, long, int>)Need(
            "aoti_torch_create_tensor_from_blob_v2");
        subtract = (delegate* unmanaged<IntPtr, IntPtr, double, IntPtr*, int>)Need("aoti_torch_aten_subtract_Tensor");
        blob_with_deleter = (delegate* unmanaged<void*, long, long*, long*, long, int, int, int, IntPtr*, int, byte*, long, void*, void*,
            int>)Get("torch_from_blob");
        new_ivalue = (delegate* unmanaged<ulong**, int>)Get("torch_new_stable_ivalue");
        exception_what = (delegate* unmanaged<byte*>)Get("torch_exception_get_what_without_backtrace");
        exception_whole = (delegate* unmanaged<byte*>)Get("torch_exception_get_what");
        Version = abi_version();
        VisionLibrary.Expect();
        Volatile.Write(ref _ready, true);
    }

    /// <summary>Throws unless libtorch was bound.</summary>
    internal static void Require()
    {
        if (!Volatile.Read(ref _ready))
            throw new InvalidOperationException(
                "libtorch is not bound: load the model through Python's `bridge.load`, or call Bridge.Torch.Runtime.Bind(path, schemas) "
                + "first.");
    }

    /// <summary>Throws if a call failed: the exception that <see cref="Failure"/> returns, or else an ExternalException.</summary>
    /// <exception cref="ExternalException">The call failed. From torch 2.13 on, the message contains libtorch's.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Check(int code, string what)
    {
        if (code != 0) Throw(what);
    }

    private static void Throw(string what)
    {
        // The message is thread-local and the next failure overwrites it: read it first.
        var text = exception_what != null ? Marshal.PtrToStringUTF8((IntPtr)exception_what()) : null;
        var withTrace = exception_whole != null ? Marshal.PtrToStringUTF8((IntPtr)exception_whole()) : null;
        if (Failure?.Invoke() is { } pending) throw pending;
        var error = new ExternalException(string.IsNullOrEmpty(text)
            ? $"{what} failed (this torch gives no message; torch 2.13 and newer do)." : $"{what}: {text}");
        ErrorClass.Note(error, text ?? "", withTrace ?? "");
        throw error;
    }

    /// <summary>Returns a new owning handle to the same tensor.</summary>
    internal static IntPtr NewHandle(IntPtr handle)
    {
        IntPtr copy;
        Check(new_tensor_handle(handle, &copy), "new_tensor_handle");
        return copy;
    }

    /// <summary>Returns a new empty handle, which refers to no tensor.</summary>
    internal static IntPtr NewUndefined()
    {
        IntPtr handle;
        Check(new_undefined(&handle), "new_uninitialized_tensor");
        return handle;
    }

    /// <summary>Allocates the heap cell in which libtorch expects an optional argument. libtorch frees the cell.</summary>
    internal static ulong Cell(ulong content)
    {
        ulong* cell;
        // Before 2.13, libtorch has no function that allocates a cell. libtorch frees the cell by C++ delete, and delete is free() in every
        // supported C runtime.
        if (new_ivalue != null) Check(new_ivalue(&cell), "new_stable_ivalue");
        else cell = (ulong*)NativeMemory.Alloc(sizeof(ulong));
        *cell = content;
        return (ulong)cell;
    }
}
