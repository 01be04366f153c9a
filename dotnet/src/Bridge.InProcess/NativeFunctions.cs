extern alias real;

using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Bridge.Interop;
using Abi = Bridge.Torch.Native.Abi;
using Facade = TorchSharp.torch;
using ListOfValues = Bridge.Torch.ListOfValues;
using SymbolFile = Bridge.Torch.Native.SymbolFile;

namespace Bridge.InProcess;

/// <summary>
/// Replacements for functions of TorchSharp's native library that would end the process instead of reporting an error, and for the function
/// by which TorchSharp reads the text of an error.
/// </summary>
/// <remarks>
/// TorchSharp's functions catch <c>c10::Error</c> and <c>std::runtime_error</c>. An error of Python code, such as a tensor hook that raises
/// during a backward pass, is neither, and some functions catch nothing. Most replacements run functions of PyTorch
/// (<c>bridge/torchsharp/in_process/operators.py</c>). If such a function fails, TorchSharp throws an ExternalException. If that exception
/// leaves C#, and represents an error of Python code, Python raises the original error again.
/// </remarks>
public static unsafe class NativeFunctions
{
    private static readonly Dictionary<string, IntPtr> Replacements = new()
    {
        ["THSTensor_backward"] = (IntPtr)(delegate* unmanaged<IntPtr, void>)&Backward,
        ["THSAutograd_backward"] =
            (IntPtr)(delegate* unmanaged<IntPtr*, long, IntPtr*, long, byte, byte, IntPtr*, long, void>)&BackwardOfMany,
        ["THSAutograd_grad"] = (IntPtr)(delegate* unmanaged<IntPtr*, long, IntPtr*, long, IntPtr*, long, byte, byte, byte,
            delegate* unmanaged<nint, IntPtr*>, void>)&Gradients,
        ["THSTensor_matmul"] = (IntPtr)(delegate* unmanaged<IntPtr, IntPtr, IntPtr>)&MatMul,
        ["THSTensor_cummax"] = (IntPtr)(delegate* unmanaged<IntPtr, delegate* unmanaged<nint, IntPtr*>, long, void>)&CumMax,
        ["THSTensor_cummin"] = (IntPtr)(delegate* unmanaged<IntPtr, delegate* unmanaged<nint, IntPtr*>, long, void>)&CumMin,
        ["THSTorch_set_num_threads"] = (IntPtr)(delegate* unmanaged<int, void>)&SetThreads,
        ["THSTorch_set_num_interop_threads"] = (IntPtr)(delegate* unmanaged<int, void>)&SetInteropThreads,
        [NewNode] = (IntPtr)(delegate* unmanaged<IntPtr, IntPtr, Pair>)&CreateNode,
        [LastError] = (IntPtr)(delegate* unmanaged<IntPtr>)&TakeLastError,
    };

    private const string NewNode = "THSAutograd_CSharpNode_ctor", LastError = "THSTorch_get_and_reset_last_err";
    private static readonly ConditionalWeakTable<Delegate, Apply> Guards = [];
    private static readonly Dictionary<long, Exception> Failures = [];
    private static IntPtr _library, _run, _fail;
    private static long _lastFailure;
    private static delegate* unmanaged<IntPtr, IntPtr, Pair> _newNode;
    private static delegate* unmanaged<IntPtr> _lastError;

    // The exception of the last replacing function that failed on this thread, until TorchSharp asks for its text.
    [ThreadStatic]
    private static Exception? _thrown;

    // The exception whose text TorchSharp has, until TorchSharp throws.
    [ThreadStatic]
    private static Exception? _reported;

    // The null gradients that the thread's last failed C# autograd function returned.
    [ThreadStatic]
    private static IntPtr[]? _noGradients;

    // The text that TorchSharp got, to be freed.
    [ThreadStatic]
    private static IntPtr _text;

    /// <summary>The function that computes the gradients of a C# autograd function.</summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate Pair Apply(IntPtr tensors, int count);

    /// <summary>Sets the functions <c>run</c> and <c>fail</c> of <c>operators.py</c>, which live as long as the process.</summary>
    internal static void SetFunctions(IntPtr run, IntPtr fail) => (_run, _fail) = (run, fail);

    /// <summary>Returns the handle of a library with TorchSharp's native functions, some of which are replaced on Linux.</summary>
    /// <remarks>On Linux, later calls return the same handle, whatever the path.</remarks>
    /// <param name="native">The full path of TorchSharp's native library.</param>
    public static IntPtr Load(string native)
    {
        if (_library != IntPtr.Zero) return _library;
        var library = NativeLibrary.Load(native);
        if (!OperatingSystem.IsLinux()) return library;
        _newNode = (delegate* unmanaged<IntPtr, IntPtr, Pair>)NativeLibrary.GetExport(library, NewNode);
        _lastError = (delegate* unmanaged<IntPtr>)NativeLibrary.GetExport(library, LastError);
        AppDomain.CurrentDomain.FirstChanceException += (_, raised) => Connect(raised.Exception);
        return _library = SymbolFile.Open(native, Replacements);
    }

    /// <summary>Returns and forgets an exception of a C# autograd function.</summary>
    /// <exception cref="ArgumentException">There is no exception of this number.</exception>
    internal static Exception TakeFailure(long number)
    {
        lock (Failures)
            return Failures.Remove(number, out var failure) ? failure : throw new ArgumentException($"There is no exception {number}.");
    }

    [UnmanagedCallersOnly]
    private static void Backward(IntPtr tensor) =>
        Run(() => Call("backward", new ListOfValues([Read(tensor)]), List(), false, false, List()));

    [UnmanagedCallersOnly]
    private static void BackwardOfMany(IntPtr* tensors, long count, IntPtr* gradients, long gradientCount, byte retain, byte create,
        IntPtr* inputs, long inputCount) =>
        Run(() => Call(
            "backward", List(tensors, count), List(gradients, gradientCount), retain != 0, create != 0, List(inputs, inputCount)));

    [UnmanagedCallersOnly]
    private static void Gradients(IntPtr* outputs, long outputCount, IntPtr* inputs, long inputCount, IntPtr* gradients,
        long gradientCount, byte retain, byte create, byte unused, delegate* unmanaged<nint, IntPtr*> allocate) =>
        Run(() => Write(
            Call("grad", List(outputs, outputCount), List(inputs, inputCount), List(gradients, gradientCount), retain != 0, create != 0,
                unused != 0),
            allocate));

    [UnmanagedCallersOnly]
    private static IntPtr MatMul(IntPtr left, IntPtr right)
    {
        IntPtr result = default;
        Run(() =>
        {
            try
            {
                result = Write(Read(left).matmul(Read(right)));
            }
            catch (ExternalException)
            {
                // In torch 2.10 to 2.12, this error has no text. PyTorch's function fails again, with the text.
                result = Write(Call("matmul", Read(left), Read(right)));
            }
        });
        return result;
    }

    [UnmanagedCallersOnly]
    private static void CumMax(IntPtr tensor, delegate* unmanaged<nint, IntPtr*> allocate, long dimension) =>
        Run(() => Write(Call("cummax", Read(tensor), dimension), allocate));

    [UnmanagedCallersOnly]
    private static void CumMin(IntPtr tensor, delegate* unmanaged<nint, IntPtr*> allocate, long dimension) =>
        Run(() => Write(Call("cummin", Read(tensor), dimension), allocate));

    [UnmanagedCallersOnly]
    private static void SetThreads(int number) => Run(() => Call("set_num_threads", (long)number));

    [UnmanagedCallersOnly]
    private static void SetInteropThreads(int number) => Run(() => Call("set_num_interop_threads", (long)number));

    // Creates the node of a C# autograd function. The node calls the function through a delegate that catches exceptions: an exception that
    // left the function would end the process.
    [UnmanagedCallersOnly]
    private static Pair CreateNode(IntPtr apply, IntPtr delete)
    {
        var type = typeof(real::TorchSharp.torch).Assembly.GetType("TorchSharp.PInvoke.NativeMethods+ApplyFunc", throwOnError: true)!;
        var function = Marshal.GetDelegateForFunctionPointer(apply, type);
        var guard = Guards.GetValue(function, static function => (tensors, count) =>
        {
            var given = new Span<IntPtr>((void*)tensors, count).ToArray();
            try
            {
                return Unsafe.As<Boxed>(function.DynamicInvoke(given, count)!).Value;
            }
            catch (TargetInvocationException exception)
            {
                return Fail(exception.InnerException!);
            }
        });
        return _newNode(Marshal.GetFunctionPointerForDelegate(guard), delete);
    }

    // Returns a null gradient for each input of the function. Thrown here, the exception would end the process, so Python raises it in a
    // prehook of the next node of the autograd graph, if the backward pass runs that node.
    private static Pair Fail(Exception exception)
    {
        long number;
        lock (Failures) Failures[number = ++_lastFailure] = exception;
        using var gil = new Python.Gil();
        using var given = new OwnedArguments(stackalloc IntPtr[1]);
        given.Add(Python.NewInt(number));
        using var result = given.Call(new(_fail));
        var count = Python.ToInt64(result.Borrow());
        _noGradients = GC.AllocateArray<IntPtr>(checked((int)count), pinned: true);
        return new((IntPtr)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_noGradients)), count);
    }

    [UnmanagedCallersOnly]
    private static IntPtr TakeLastError()
    {
        if (_thrown is null) return _lastError();
        (_reported, _thrown) = (_thrown, null);
        Marshal.FreeCoTaskMem(_text);
        return _text = Marshal.StringToCoTaskMemUTF8(_reported.Message);
    }

    private static void Run(Action action)
    {
        using var scope = Facade.NewDisposeScope();
        try
        {
            action();
        }
        catch (Exception exception)
        {
            _thrown = exception;
        }
    }

    // Makes the exception that TorchSharp throws represent the exception that a replacement threw.
    private static void Connect(Exception exception)
    {
        if (_reported is not { } reported || exception is not ExternalException) return;
        _reported = null;
        using var gil = new Python.Gil();
        CallExceptions.Add(exception, reported);
    }

    // Runs a function of operators.py. Tensors among the arguments and results are wrapped as tensors of Bridge.Torch, which Converter can
    // convert. TorchSharp never sees these wrappers.
    private static object? Call(string name, params object?[] arguments)
    {
        using var gil = new Python.Gil();
        using var given = new OwnedArguments(stackalloc IntPtr[2]);
        given.Add(Python.NewText(name));
        given.Add(Converter.ToPython(arguments));
        using var result = given.Call(new(_run));
        var value = Converter.ToDotNet(result.Borrow());
        return value is string text ? throw new ExternalException(text) : value;
    }

    private static Facade.Tensor Read(IntPtr tensor) => Facade.Tensor.Own(Abi.NewHandle(tensor));

    private static ListOfValues List() => new([]);

    private static ListOfValues List(IntPtr* tensors, long count)
    {
        var read = new object?[count];
        for (var i = 0; i < read.Length; i++) read[i] = tensors[i] == IntPtr.Zero ? null : Read(tensors[i]);
        return new(read);
    }

    private static IntPtr Write(object? tensor) => tensor is null ? IntPtr.Zero : Abi.NewHandle(((Facade.Tensor)tensor).Handle);

    private static void Write(object? tensors, delegate* unmanaged<nint, IntPtr*> allocate)
    {
        var found = (object?[])tensors!;
        var written = allocate(found.Length);
        for (var i = 0; i < found.Length; i++) written[i] = Write(found[i]);
    }

    /// <summary>A result of TorchSharp's functions: the two pointers of a node, or the address and length of an array of handles.</summary>
    private readonly record struct Pair(IntPtr First, long Second);

    // The layout of a boxed value.
    private sealed class Boxed
    {
        internal Pair Value = new(0, 0);
    }
}
