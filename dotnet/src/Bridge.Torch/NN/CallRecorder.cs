using System.Runtime.CompilerServices;
using Bridge.Hooks;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>Records the calls of modules on one thread into a buffer that Python drains in one go; no callback is made.</summary>
/// <remarks>
/// An event stands where the last global hook of its phase would stand. Where Python listens on a module its call is PyTorch's to make,
/// and Python's own recorder writes the same event into the same buffer, so the order is one.
/// </remarks>
internal sealed unsafe class CallRecorder : IDisposable
{
    [ThreadStatic]
    private static CallRecorder? _current;

    private static int _active;

    /// <summary>Clones of recorded tensors, when values were asked for; a record's payload is the index here.</summary>
    internal readonly List<torch.Tensor> Kept = [];

    /// <summary>Recorded strings; a record's payload is the index here.</summary>
    internal readonly List<string> Texts = [];

    internal readonly TraceBuffer Buffer = new();
    private readonly bool _values;
    private readonly CallRecorder? _outer;

    /// <summary>Starts recording the calls on this thread.</summary>
    /// <param name="values">Keep a copy of every tensor, as it was at the event.</param>
    internal CallRecorder(bool values)
    {
        _values = values;
        _outer = _current;
        _current = this;
        Interlocked.Increment(ref _active);
    }

    /// <summary>How many recordings there are in the process: the one word that a call without any has to read.</summary>
    internal static int Active => Volatile.Read(ref _active);

    /// <summary>The thread's recording.</summary>
    internal static CallRecorder? Current => Active == 0 ? null : _current;

    /// <summary>The module whose forward a call is about to run. Any other built-in whose forward runs was run directly.</summary>
    internal torch.nn.Module? Entering { get; set; }

    /// <summary>A module is called: its arguments.</summary>
    /// <returns>The number of the call.</returns>
    internal int Enter<T>(torch.nn.Module module, T arguments)
    {
        var call = Buffer.BeginCall(module.Id, 0);
        Buffer.Event(call, TracePhase.Pre);
        Add(arguments);
        Entering = module;
        return call;
    }

    /// <summary>The module's <c>forward</c> has a result.</summary>
    internal void Leave<T>(int call, T result)
    {
        Buffer.Event(call, TracePhase.Forward);
        Add(result);
    }

    /// <summary>The call is over, whichever way.</summary>
    internal void Close(int call)
    {
        Entering = null;
        Buffer.EndCall(call);
    }

    /// <summary>Somebody ran a built-in's <c>forward</c> itself.</summary>
    internal void Direct(torch.nn.Module module, torch.Tensor result)
    {
        Buffer.Bypass(module.Id, 0);
        Add(result);
    }

    internal void Add<T>(T value)
    {
        switch (value)
        {
            case torch.Tensor tensor: AddTensor(tensor); break;
            case null: Buffer.AddNone(); break;
            case long whole: Buffer.AddLiteral(ValueKind.Int, whole); break;
            case int whole: Buffer.AddLiteral(ValueKind.Int, whole); break;
            case bool truth: Buffer.AddLiteral(ValueKind.Bool, truth ? 1 : 0); break;
            case double real: Buffer.AddLiteral(ValueKind.Float, BitConverter.DoubleToInt64Bits(real)); break;
            case float real: Buffer.AddLiteral(ValueKind.Float, BitConverter.DoubleToInt64Bits(real)); break;
            case string text:
                Buffer.AddLiteral(ValueKind.Str, Texts.Count);
                Texts.Add(text);
                break;
            case ITuple tuple:
                for (var i = 0; i < tuple.Length; i++) Add(tuple[i]);
                break;
            case ListOfValues list:
                foreach (var item in list.Items) Add(item);
                break;
            case System.Collections.IList items:
                foreach (var item in items) Add(item);
                break;
            default: Buffer.AddLiteral(ValueKind.Object, 0); break;
        }
    }

    private void AddTensor(torch.Tensor tensor)
    {
        long dims;
        long* sizes;
        int dtype, device, index;
        var handle = tensor.Handle;
        Abi.Check(Abi.get_dim(handle, &dims), "dim");
        Abi.Check(Abi.get_sizes(handle, &sizes), "shape");
        Abi.Check(Abi.get_dtype(handle, &dtype), "dtype");
        Abi.Check(Abi.get_device_type(handle, &device), "device_type");
        Abi.Check(Abi.get_device_index(handle, &index), "device_index");
        var payload = -1L;
        if (_values)
        {
            var scope = DisposeScope.Suspend();
            try
            {
                using var off = torch.no_grad();
                using var plain = tensor.detach();
                payload = Kept.Count;
                Kept.Add(plain.clone());
            }
            finally
            {
                DisposeScope.Resume(scope);
            }
        }

        Buffer.AddTensor((sbyte)dtype, device, index, new ReadOnlySpan<long>(sizes, (int)dims), payload);
        GC.KeepAlive(tensor);
    }

    /// <summary>Observes a hooked call in the C# dispatcher, if the thread records.</summary>
    internal static ICallObserver<TIn, TOut>? Observe<TIn, TOut>(torch.nn.Module module) =>
        Current is { } recorder ? new Observer<TIn, TOut>(recorder, module) : null;

    /// <summary>Ends the recording.</summary>
    public void Dispose()
    {
        if (_current == this) _current = _outer;
        Interlocked.Decrement(ref _active);
        foreach (var tensor in Kept) tensor.Dispose();
        Buffer.Dispose();
    }

    private sealed class Observer<TIn, TOut>(CallRecorder recorder, torch.nn.Module module) : ICallObserver<TIn, TOut>
    {
        public int Entered(in TIn args) => recorder.Enter(module, args);

        public void Computed(int call, in TOut output) => recorder.Leave(call, output);

        public void Left(int call) => recorder.Close(call);
    }
}
