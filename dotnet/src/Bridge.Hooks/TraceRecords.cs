using System.Runtime.InteropServices;

namespace Bridge.Hooks;

/// <summary>What an event stands for; the numbers are the indices of <c>PHASES</c> in trace.py.</summary>
public enum TracePhase : byte
{
    /// <summary>The arguments of a call.</summary>
    Pre = 0,

    /// <summary>The result of a call.</summary>
    Forward = 1,

    /// <summary>The result of a <c>forward()</c> that was run without a call (C-3).</summary>
    Bypass = 2,
}

/// <summary>Whose hook recorded an event; the numbers are the indices of <c>SCOPES</c> in trace.py.</summary>
public enum HookScope : byte
{
    /// <summary>A global hook.</summary>
    Global = 0,

    /// <summary>A hook of the module.</summary>
    Module = 1,
}

/// <summary>What a recorded value is.</summary>
public enum ValueKind : byte
{
    /// <summary>Null.</summary>
    None = 0,

    /// <summary>A tensor; the only kind with dtype, device and dims.</summary>
    Tensor = 1,

    /// <summary>A 64-bit integer in the payload.</summary>
    Int = 2,

    /// <summary>A double's bits in the payload.</summary>
    Float = 3,

    /// <summary>0 or 1 in the payload.</summary>
    Bool = 4,

    /// <summary>A text; the payload is a number by which the recording side finds it.</summary>
    Str = 5,

    /// <summary>Anything else; the payload is the recording side's.</summary>
    Object = 6,
}

/// <summary>One event: 32 bytes, 4-byte aligned, no padding.</summary>
/// <remarks>
/// NumPy: <c>np.dtype([("path", "i4"), ("type", "i4"), ("call", "i4"), ("parent", "i4"), ("hook", "i4"), ("phase", "u1"),
/// ("scope", "u1"), ("reserved", "u2"), ("first_value", "i4"), ("value_count", "i4")])</c>, offsets 0, 4, 8, 12, 16, 20, 21, 22, 24, 28,
/// itemsize 32. An event's sequence number is its index.
/// </remarks>
[StructLayout(LayoutKind.Sequential, Pack = 4, Size = 32)]
public struct EventRecord
{
    /// <summary>The module path, as a number of the recording side.</summary>
    public int Path;

    /// <summary>The module's type, as a number of the recording side.</summary>
    public int Type;

    /// <summary>The number of the module call, -1 for a bypass, which is no call.</summary>
    public int Call;

    /// <summary>The number of the enclosing module call, -1 at a root.</summary>
    public int Parent;

    /// <summary>The hook's place in its phase and scope.</summary>
    public int Hook;

    /// <summary>What the event stands for.</summary>
    public TracePhase Phase;

    /// <summary>Whose hook recorded it.</summary>
    public HookScope Scope;

    /// <summary>Always 0.</summary>
    public ushort Reserved;

    /// <summary>The index of the event's first <see cref="ValueRecord"/>.</summary>
    public int FirstValue;

    /// <summary>How many values follow there.</summary>
    public int ValueCount;
}

/// <summary>One value of an event: 32 bytes, 8-byte aligned, no padding.</summary>
/// <remarks>
/// NumPy: <c>np.dtype([("kind", "u1"), ("dtype", "i1"), ("reserved", "u2"), ("device_type", "i4"), ("device_index", "i4"), ("ndim", "i4"),
/// ("first_dim", "i8"), ("payload", "i8")])</c>, offsets 0, 1, 2, 4, 8, 12, 16, 24, itemsize 32.
/// Sizes stand in an array of <c>i8</c> of their own, <c>ndim</c> of them from <c>first_dim</c> on.
/// </remarks>
[StructLayout(LayoutKind.Sequential, Pack = 8, Size = 32)]
public struct ValueRecord
{
    /// <summary>What the value is.</summary>
    public ValueKind Kind;

    /// <summary>A tensor's scalar type by libtorch's number, else -1.</summary>
    public sbyte DType;

    /// <summary>Always 0.</summary>
    public ushort Reserved;

    /// <summary>A tensor's device type by libtorch's number, else -1.</summary>
    public int DeviceType;

    /// <summary>A tensor's device index, -1 for none.</summary>
    public int DeviceIndex;

    /// <summary>How many sizes a tensor has, else 0.</summary>
    public int NDim;

    /// <summary>The index of the first size.</summary>
    public long FirstDim;

    /// <summary>A literal's bits, or a number of the recording side (0 when it has none).</summary>
    public long Payload;
}
