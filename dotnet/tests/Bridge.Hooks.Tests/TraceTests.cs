using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Bridge.Hooks.Tests;

/// <summary>The trace buffer: numbers of calls, parents, values, layout, limits.</summary>
public class TraceTests
{
    [Fact]
    public void Calls_are_numbered_in_order_of_entry_with_their_parents()
    {
        using var buffer = new TraceBuffer();
        var root = buffer.BeginCall(10, 20);
        buffer.Event(root, TracePhase.Pre);
        var child = buffer.BeginCall(11, 21, root);
        buffer.Event(child, TracePhase.Pre, HookScope.Module, 7);
        buffer.Event(child, TracePhase.Forward);
        var sibling = buffer.BeginCall(12, 22, root);
        buffer.Event(root, TracePhase.Forward);
        var second = buffer.BeginCall(10, 20);
        buffer.Event(second, TracePhase.Pre);

        Assert.Equal([0, 1, 2, 3], [root, child, sibling, second]);
        Assert.Equal(4, buffer.Calls);
        Assert.Equal(
            [
                (10, 20, 0, -1, 0, TracePhase.Pre, HookScope.Global),
                (11, 21, 1, 0, 7, TracePhase.Pre, HookScope.Module),
                (11, 21, 1, 0, 0, TracePhase.Forward, HookScope.Global),
                (10, 20, 0, -1, 0, TracePhase.Forward, HookScope.Global),
                (10, 20, 3, -1, 0, TracePhase.Pre, HookScope.Global),
            ],
            buffer.Events.ToArray().Select(e => (e.Path, e.Type, e.Call, e.Parent, e.Hook, e.Phase, e.Scope)));
    }

    [Fact]
    public void C3_a_bypass_is_not_a_call_and_has_a_parent()
    {
        using var buffer = new TraceBuffer();
        buffer.Bypass(5, 6);
        var root = buffer.BeginCall(1, 2);
        buffer.Bypass(7, 8, root);
        buffer.AddNone();

        Assert.Equal(1, buffer.Calls);
        Assert.Equal(
            [(5, 6, -1, -1, TracePhase.Bypass, 0), (7, 8, -1, root, TracePhase.Bypass, 1)],
            buffer.Events.ToArray().Select(e => (e.Path, e.Type, e.Call, e.Parent, e.Phase, e.ValueCount)));
    }

    [Fact]
    public void Calls_of_several_threads_may_overlap()
    {
        using var buffer = new TraceBuffer();
        var root = buffer.BeginCall(0, 0);
        var one = buffer.BeginCall(1, 0, root);
        var other = buffer.BeginCall(2, 0, root);
        buffer.Event(one, TracePhase.Forward);
        buffer.Event(other, TracePhase.Forward);
        buffer.Event(root, TracePhase.Forward);
        Assert.Equal([(1, 1, 0), (2, 2, 0), (0, 0, -1)], buffer.Events.ToArray().Select(e => (e.Path, e.Call, e.Parent)));
    }

    [Fact]
    public void An_event_needs_a_call()
    {
        using var buffer = new TraceBuffer();
        var call = buffer.BeginCall(0, 0);
        Assert.Throws<InvalidOperationException>(() => buffer.Event(-1, TracePhase.Forward));
        Assert.Throws<InvalidOperationException>(() => buffer.Event(call + 1, TracePhase.Forward));
        Assert.Throws<InvalidOperationException>(() => buffer.Event(int.MaxValue, TracePhase.Forward));
        Assert.Equal(0, buffer.Events.Length);
    }

    [Fact]
    public void Values_belong_to_their_event_and_sizes_to_their_value()
    {
        using var buffer = new TraceBuffer();
        var call = buffer.BeginCall(0, 0);
        buffer.Event(call, TracePhase.Pre);
        buffer.AddTensor(6, 0, -1, [2, 3, 1L << 40], payload: 99);
        buffer.AddNone();
        buffer.AddTensor(7, 1, 2, []);
        buffer.Event(call, TracePhase.Forward);
        buffer.AddLiteral(ValueKind.Float, BitConverter.DoubleToInt64Bits(-0.5));
        buffer.AddTensor(6, 0, -1, [4]);

        Assert.Equal([(0, 3), (3, 2)], buffer.Events.ToArray().Select(e => (e.FirstValue, e.ValueCount)));
        Assert.Equal(
            [
                (ValueKind.Tensor, 6, 0, -1, 3, 0, 99),
                (ValueKind.None, -1, -1, -1, 0, 3, 0),
                (ValueKind.Tensor, 7, 1, 2, 0, 3, 0),
                (ValueKind.Float, -1, -1, -1, 0, 3, BitConverter.DoubleToInt64Bits(-0.5)),
                (ValueKind.Tensor, (sbyte)6, 0, -1, 1, 3L, 0L),
            ],
            buffer.Values.ToArray().Select(v => (v.Kind, v.Dtype, v.DeviceType, v.DeviceIndex, v.Ndim, v.FirstDim, v.Payload)));
        Assert.Equal([2, 3, 1L << 40, 4], buffer.Dims);
    }

    [Fact]
    public void A_value_needs_an_event_and_a_literal_is_not_a_tensor()
    {
        using var buffer = new TraceBuffer();
        buffer.BeginCall(0, 0);
        Assert.Throws<InvalidOperationException>(buffer.AddNone);
        Assert.Throws<InvalidOperationException>(() => buffer.AddTensor(6, 0, -1, [1]));
        buffer.Bypass(0, 0);
        Assert.Throws<ArgumentException>(() => buffer.AddLiteral(ValueKind.Tensor, 0));
        Assert.True(buffer.Values.IsEmpty && buffer.Dims.IsEmpty);
    }

    [Fact]
    public void Records_have_the_layout_that_Python_reads()
    {
        Assert.Equal((32, 32), (Unsafe.SizeOf<EventRecord>(), Unsafe.SizeOf<ValueRecord>()));
        Assert.Equal((32, 32), (Marshal.SizeOf<EventRecord>(), Marshal.SizeOf<ValueRecord>()));
        Assert.Equal(
            [0, 4, 8, 12, 16, 20, 21, 22, 24, 28],
            Offsets<EventRecord>("Path", "Type", "Call", "Parent", "Hook", "Phase", "Scope", "Reserved", "FirstValue", "ValueCount"));
        Assert.Equal(
            [0, 1, 2, 4, 8, 12, 16, 24],
            Offsets<ValueRecord>("Kind", "Dtype", "Reserved", "DeviceType", "DeviceIndex", "Ndim", "FirstDim", "Payload"));

        static int[] Offsets<T>(params string[] fields) => [.. fields.Select(f => (int)Marshal.OffsetOf<T>(f))];
    }

    [Fact]
    public void The_memory_at_the_addresses_is_valid_after_growth_and_collection()
    {
        using var buffer = new TraceBuffer();
        Assert.Equal((0, 0, 0), (buffer.EventsAddress, buffer.ValuesAddress, buffer.DimsAddress));
        const int Count = 1000;
        for (var i = 0; i < Count; i++)
        {
            var call = buffer.BeginCall(i, 0);
            buffer.Event(call, TracePhase.Pre);
            buffer.AddTensor(6, 0, -1, [i, -i], payload: 3L * i);
        }

        var before = buffer.EventsAddress;
        GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
        Assert.Equal(before, buffer.EventsAddress);
        Assert.Equal(0, (buffer.EventsAddress | buffer.ValuesAddress | buffer.DimsAddress) % 8);
        for (var i = 0; i < Count; i++)
        {
            Assert.Equal(i, Marshal.ReadInt32(buffer.EventsAddress, (32 * i) + 0));
            Assert.Equal(i, Marshal.ReadInt32(buffer.EventsAddress, (32 * i) + 24));
            Assert.Equal(3L * i, Marshal.ReadInt64(buffer.ValuesAddress, (32 * i) + 24));
            Assert.Equal(-i, Marshal.ReadInt64(buffer.DimsAddress, (16 * i) + 8));
        }
    }

    [Fact]
    public void Recording_allocates_nothing_after_the_first_events()
    {
        using var buffer = new TraceBuffer();
        long[] sizes = [32, 3, 12, 12];
        Record(buffer, sizes, 2000);
        buffer.Clear();
        Assert.Equal((0, 0), (buffer.Calls, buffer.Events.Length));

        Assert.Equal(0, Allocations.Of(() =>
        {
            buffer.Clear();
            Record(buffer, sizes, 2000);
        }));
        Assert.Equal((4000, 4000, 16000), (buffer.Events.Length, buffer.Values.Length, buffer.Dims.Length));
        Assert.Equal(0, buffer.Events[0].Call);

        static void Record(TraceBuffer buffer, long[] sizes, int calls)
        {
            for (var i = 0; i < calls; i++)
            {
                var call = buffer.BeginCall(1, 2);
                buffer.Event(call, TracePhase.Pre);
                buffer.AddTensor(6, 0, -1, sizes);
                buffer.Event(call, TracePhase.Forward);
                buffer.AddTensor(6, 0, -1, sizes);
            }
        }
    }

    [Fact]
    public void A_full_buffer_throws_and_keeps_its_events()
    {
        using var buffer = new TraceBuffer(limit: 3);
        var call = buffer.BeginCall(0, 0);
        buffer.Event(call, TracePhase.Pre);
        buffer.AddTensor(6, 0, -1, [1, 2]);
        Assert.Contains("tensor sizes", Assert.Throws<InvalidOperationException>(() => buffer.AddTensor(6, 0, -1, [1, 2])).Message);
        Assert.Equal((1, 2), (buffer.Events[0].ValueCount, buffer.Dims.Length));

        buffer.AddNone();
        buffer.AddNone();
        Assert.Contains("values", Assert.Throws<InvalidOperationException>(buffer.AddNone).Message);
        Assert.Equal((3, 3), (buffer.Events[0].ValueCount, buffer.Values.Length));

        buffer.Event(call, TracePhase.Forward);
        buffer.Event(call, TracePhase.Forward);
        var full = Assert.Throws<InvalidOperationException>(() => buffer.Event(call, TracePhase.Forward));
        Assert.Contains("Clear()", full.Message);
        Assert.Equal(3, buffer.Events.Length);

        buffer.BeginCall(0, 0);
        buffer.BeginCall(0, 0);
        Assert.Contains("module calls", Assert.Throws<InvalidOperationException>(() => buffer.BeginCall(0, 0)).Message);

        buffer.Clear();
        buffer.Event(buffer.BeginCall(0, 0), TracePhase.Pre);
        Assert.Equal(1, buffer.Events.Length);
        Assert.Throws<ArgumentOutOfRangeException>(() => new TraceBuffer(0));
    }

    [Fact]
    public void A_disposed_buffer_is_empty_and_throws_on_writing()
    {
        var buffer = new TraceBuffer();
        var call = buffer.BeginCall(0, 0);
        buffer.Event(call, TracePhase.Pre);
        buffer.Dispose();
        buffer.Dispose();

        Assert.True(buffer.Events.IsEmpty && buffer.Values.IsEmpty && buffer.EventsAddress == 0);
        Assert.Throws<ObjectDisposedException>(() => buffer.BeginCall(0, 0));
        Assert.Throws<ObjectDisposedException>(() => buffer.Bypass(0, 0));
        Assert.Throws<ObjectDisposedException>(() => buffer.Write(0, 0, call, -1, TracePhase.Forward, HookScope.Global, 0));
        Assert.Throws<InvalidOperationException>(() => buffer.Event(call, TracePhase.Forward));
    }
}
