using System.Text;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Native;

/// <summary>One call of an operator: sets the arguments, runs the operator and returns the results.</summary>
/// <remarks>
/// Each tensor argument is a new handle, so another thread may dispose the caller's object during the call. Results are owning handles. If
/// an argument is disposed, or is null although the operator requires it, <see cref="Drop"/> frees the handles of the required tensors that
/// were set, but optional arguments, lists and strings leak. If the operator fails, nothing is freed: libtorch has consumed an unknown part
/// of the arguments, and a leak is better than a double free.
/// </remarks>
internal unsafe ref struct OpCall
{
    private readonly Plan _plan;
    private readonly ulong* _stack;
    private ulong _ownedHandles; // bit n is set if stack slot n holds a handle that this object owns

    internal OpCall(Plan plan, ulong* stack)
    {
        _plan = plan;
        _stack = stack;
        _ownedHandles = 0;
        foreach (var value in plan.Defaults) stack[value.Slot] = Bits(value);
    }

    internal void Set(int index, Tensor? tensor)
    {
        var slot = _plan.Positions[index];
        var optional = (_plan.Optional >> slot & 1) != 0;
        if (tensor is null)
        {
            if (!optional) Fail(slot, "is null; a tensor is needed");
            _stack[slot] = 0;
            return;
        }

        IntPtr handle;
        try
        {
            handle = tensor.NewHandle();
        }
        catch
        {
            Drop();
            throw;
        }

        if (optional)
        {
            _stack[slot] = Abi.Cell((ulong)handle);
        }
        else
        {
            _stack[slot] = (ulong)handle;
            _ownedHandles |= 1UL << slot;
        }

        if (tensor.Large is not null && !_plan.Writes) tensor.EndUse(DisposeScopeManager.ForThread.Frame);
    }

    /// <summary>Sets an argument to a handle, which the call takes over.</summary>
    internal void Set(int index, IntPtr handle)
    {
        var slot = _plan.Positions[index];
        _stack[slot] = (ulong)handle;
        _ownedHandles |= 1UL << slot;
    }

    /// <summary>Sets an argument to a tensor of a mirrored module.</summary>
    /// <param name="index">The index of the argument in the caller's order.</param>
    /// <param name="tensor">Access to the tensor; null to pass None.</param>
    /// <param name="synchronized">See <see cref="TensorSlot.NewHandle"/>.</param>
    internal void Set(int index, TensorSlot? tensor, ModuleLink synchronized)
    {
        var slot = _plan.Positions[index];
        var optional = (_plan.Optional >> slot & 1) != 0;
        var handle = IntPtr.Zero;
        var done = false;
        try
        {
            if (tensor is not null) handle = tensor.NewHandle(synchronized, optional);
            done = true;
        }
        finally
        {
            if (!done) Drop();
        }

        if (!optional) Set(index, handle);
        else _stack[slot] = handle == IntPtr.Zero ? 0 : Abi.Cell((ulong)handle);
    }

    internal readonly void Set(int index, long value) =>
        Put(index, _plan.Arguments[_plan.Positions[index]].Type[0] == 'F' ? BitConverter.DoubleToUInt64Bits(value) : (ulong)value);

    internal readonly void Set(int index, double value) => Put(index, BitConverter.DoubleToUInt64Bits(value));

    internal readonly void Set(int index, bool value) => Put(index, value ? 1UL : 0UL);

    internal readonly void Set(int index, ScalarType value) => Put(index, (uint)(int)value);

    internal readonly void Set(int index, nn.Reduction value) => Set(index, (long)value);

    internal readonly void Set(int index, Padding value) => Set(index, value == Padding.Same ? "same" : "valid");

    internal readonly void Set(int index, TorchSharp.Modules.GELU.Approximate value) => Set(index, value.ToString());

    internal readonly void Set(int index, long? value)
    {
        if (value is { } given) Set(index, given);
        else SetNone(index);
    }

    internal readonly void Set(int index, bool? value)
    {
        if (value is { } given) Set(index, given);
        else SetNone(index);
    }

    internal readonly void Set(int index, ScalarType? value)
    {
        if (value is { } given) Set(index, given);
        else SetNone(index);
    }

    internal readonly void Set(int index, Device? value)
    {
        if (value is null) SetNone(index);
        else Put(index, ((ulong)(uint)(int)value.type << 32) | (uint)value.index);
    }

    internal readonly void Set(int index, double? value)
    {
        if (value is { } given) Set(index, given);
        else SetNone(index);
    }

    /// <summary>Sets a generator argument to the generator's state (see <see cref="Op.With"/>), or to None for the default one.</summary>
    internal void Set(int index, Generator? generator) => Set(index, generator?.State);

    /// <summary>Sets a number, for an operator that takes float, int or bool instead of a Scalar (see <see cref="Op.For"/>).</summary>
    internal readonly void Set(int index, Scalar? value)
    {
        if (value is null) SetNone(index);
        else Put(index, _plan.Arguments[_plan.Positions[index]].Type[0] == 'F'
            ? BitConverter.DoubleToUInt64Bits(value.Real) : (ulong)value.Integer);
    }

    /// <summary>Sets a list of tensors, which may contain null if the operator takes optional tensors.</summary>
    internal readonly void Set(int index, ReadOnlySpan<Tensor?> tensors)
    {
        var slot = _plan.Positions[index];
        var boxed = _plan.Arguments[slot].Type.Contains('?', StringComparison.Ordinal);
        foreach (var tensor in tensors)
            if (tensor is null && !boxed) Fail(slot, "contains null; a list of tensors is needed");

        // Another thread may dispose a tensor, so all handles are acquired before the list takes the first.
        var handles = new IntPtr[tensors.Length];
        IntPtr list;
        try
        {
            for (var i = 0; i < handles.Length; i++)
                if (tensors[i] is { } tensor) handles[i] = tensor.NewHandle();
            Abi.Check(Abi.new_list((nuint)handles.Length, &list), "new_list");
        }
        catch
        {
            foreach (var handle in handles)
                if (handle != IntPtr.Zero) Abi.delete_tensor(handle);
            Drop();
            throw;
        }

        foreach (var handle in handles)
            Abi.Check(Abi.list_push_back(list, boxed && handle != 0 ? Abi.Cell((ulong)handle) : (ulong)handle), "list_push_back");
        _stack[slot] = (ulong)list;
    }

    internal readonly void Set(int index, Tensor?[] tensors) => Set(index, (ReadOnlySpan<Tensor?>)tensors);

    internal readonly void Set(int index, double[]? values)
    {
        if (values is null) SetNone(index);
        else Put(index, List(System.Runtime.InteropServices.MemoryMarshal.Cast<double, long>(values)));
    }

    internal readonly void Set(int index, ReadOnlySpan<long> values) => Put(index, List(values));

    internal readonly void Set(int index, long[]? values)
    {
        if (values is null) SetNone(index);
        else Put(index, List(values));
    }

    internal readonly void Set(int index, string? value)
    {
        if (value is null) SetNone(index);
        else Put(index, Text(value));
    }

    internal readonly void Set(int index, char value) => Set(index, value.ToString());

    internal readonly void Set(int index, FFTNormType value) => Set(index, value.ToString().ToLowerInvariant());

    internal readonly void Set(int index, linalg.QRMode value) => Set(index, value.ToString().ToLowerInvariant());

    internal readonly void Set(int index, RoundingMode value) => Set(index, value == RoundingMode.None ? null : value.ToString());

    internal void Run() => Call();

    internal Tensor Run1()
    {
        Call();
        return Tensor.Result((IntPtr)_stack[0]);
    }

    /// <summary>Runs an operator that returns one tensor, and returns the handle of that tensor, which the caller owns.</summary>
    internal IntPtr RunHandle()
    {
        Call();
        return (IntPtr)_stack[0];
    }

    internal (Tensor, Tensor) Run2()
    {
        Call();
        return (Tensor.Own((IntPtr)_stack[0]), Tensor.Own((IntPtr)_stack[1]));
    }

    internal (Tensor, Tensor, Tensor) Run3()
    {
        Call();
        return (Tensor.Own((IntPtr)_stack[0]), Tensor.Own((IntPtr)_stack[1]), Tensor.Own((IntPtr)_stack[2]));
    }

    internal (Tensor, Tensor, Tensor, Tensor) Run4()
    {
        Call();
        return (Tensor.Own((IntPtr)_stack[0]), Tensor.Own((IntPtr)_stack[1]), Tensor.Own((IntPtr)_stack[2]), Tensor.Own((IntPtr)_stack[3]));
    }

    internal Tensor[] RunList()
    {
        Call();
        var list = (IntPtr)_stack[0];
        nuint count;
        Abi.Check(Abi.list_size(list, &count), "list_size");
        var tensors = new Tensor[(int)count];
        for (var at = 0; at < tensors.Length; at++)
        {
            ulong handle;
            Abi.Check(Abi.list_get_item(list, (nuint)at, &handle), "list_get_item");
            tensors[at] = Tensor.Own((IntPtr)handle);
        }

        Abi.Check(Abi.delete_list(list), "delete_list");
        return tensors;
    }

    internal bool RunBool()
    {
        Call();
        return (_stack[0] & 1) != 0;
    }

    internal long RunLong()
    {
        Call();
        return (long)_stack[0];
    }

    /// <summary>Runs an operator that changes and returns <paramref name="self"/>, and frees the returned handle.</summary>
    internal Tensor RunInPlace(Tensor self)
    {
        Call();
        Abi.delete_tensor((IntPtr)_stack[0]);
        return self;
    }

    private void Call()
    {
        // The caller's temporary Tensor objects may be collected from here on, because the stack has handles of its own.
        if (LargeTensors.AreDue) LargeTensors.Reclaim();
        var code = TorchFunctionMode.IsActive ? CallFunction() : Abi.call_dispatcher(_plan.Name, _plan.Overload, _stack, Abi.Version);
        if (code != 0) Abi.Check(code, _plan.Title);
    }

    private readonly int CallFunction()
    {
        var (name, overload) = _plan.Function;
        return Abi.call_dispatcher((byte*)name, (byte*)overload, _stack, Abi.Version);
    }

    private readonly void Put(int index, ulong bits)
    {
        var slot = _plan.Positions[index];
        _stack[slot] = (_plan.Optional >> slot & 1) != 0 ? Abi.Cell(bits) : bits;
    }

    private readonly void SetNone(int index)
    {
        var slot = _plan.Positions[index];
        if ((_plan.Optional >> slot & 1) == 0) Fail(slot, "is null; a value is needed");
        _stack[slot] = 0;
    }

    private readonly void Drop()
    {
        for (var slot = 0; slot < _plan.Slots; slot++)
            if ((_ownedHandles >> slot & 1) != 0) Abi.delete_tensor((IntPtr)_stack[slot]);
    }

    private readonly void Fail(int slot, string why)
    {
        Drop();
        throw new ArgumentException($"{_plan.Title}: argument '{_plan.Arguments[slot].Name}' {why}.");
    }

    private static ulong List(ReadOnlySpan<long> values)
    {
        IntPtr list;
        Abi.Check(Abi.new_list((nuint)values.Length, &list), "new_list");
        foreach (var value in values) Abi.Check(Abi.list_push_back(list, (ulong)value), "list_push_back");
        return (ulong)list;
    }

    private static ulong Text(string value)
    {
        var bytes = Encoding.UTF8.GetBytes(value);
        IntPtr text;
        fixed (byte* start = bytes) Abi.Check(Abi.new_string(start, (nuint)bytes.Length, &text), "new_string");
        return (ulong)text;
    }

    private static ulong Bits(DefaultValue value)
    {
        var bits = value.Items is { } items ? List(items) : value.Text is { } text ? Text(text) : value.Bits;
        return value.Boxed ? Abi.Cell(bits) : bits;
    }
}
