using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Text.Json;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The tensors that C# code of a model creates, by the module's call in which it does: how many live when the call ends, how many bytes
/// live at most meanwhile, and which of them the call keeps, with the lines that created them.
/// </summary>
/// <remarks>
/// A tensor lives until the code disposes it, by itself or with a scope of its own, as in TorchSharp before a garbage collection: calls of
/// the model's classes have no scope of ours while a log is active. The log is active within a <see cref="CallRecorder"/>, so that each
/// call is seen. A tensor of which a field refers at the end of the outermost call is held by the model, not kept.
/// </remarks>
internal sealed class MemoryLog
{
    private static MemoryLog? _current;

    private readonly object _gate = new();
    private readonly List<Entry> _alive = [];
    private readonly List<Call> _calls = [];
    private readonly Dictionary<IntPtr, (int Count, long Bytes)> _memory = [];

    // The memory of parameters, buffers and arguments, which no call allocates.
    private readonly HashSet<IntPtr> _given = [];
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private Call? _innermost;
    private long _bytes;
    private int _elsewhere;
    private int _ended;

    /// <summary>Gets the log of the process; null if none is active.</summary>
    internal static MemoryLog? Current => Volatile.Read(ref _current);

    /// <summary>Starts the log of the calls on this thread.</summary>
    /// <exception cref="InvalidOperationException">A log is active.</exception>
    internal static void Start()
    {
        if (Interlocked.CompareExchange(ref _current, new(), null) is not null)
            throw new InvalidOperationException("The memory of another call is being measured.");
    }

    /// <summary>Ends the log and returns it as JSON.</summary>
    internal static string Stop() => Interlocked.Exchange(ref _current, null)?.Write() ?? "{}";

    /// <summary>Begins a call of a module. Returns null on a thread that the log does not measure.</summary>
    internal Call? Begin(torch.nn.Module module, object? arguments)
    {
        if (Environment.CurrentManagedThreadId != _thread) return null;
        lock (_gate)
        {
            if (_innermost is null)
                foreach (var tensor in module.parameters().Concat(module.buffers()).Concat(Tensors(arguments)))
                    if (Storage(tensor) is { Address: var address and not 0 }) _given.Add(address);
            Purge();
            var call = new Call(module, _innermost, _bytes);
            _calls.Add(call);
            return _innermost = call;
        }
    }

    /// <summary>Notes what lives at the end of a call's <c>forward</c>.</summary>
    internal void End(Call? call, object? result)
    {
        if (call is null) return;
        var outputs = Tensors(result);
        lock (_gate)
        {
            Purge();
            call.Ended = ++_ended;
            var counted = outputs.Select(tensor => Storage(tensor).Address).Concat(_given).ToHashSet();
            foreach (var entry in _alive.Where(entry => entry.Creator.IsWithin(call)))
            {
                call.Live++;
                if (entry.Keeper is not null || outputs.Contains(entry.Tensor)) continue;
                entry.Keeper = call;
                call.Kept.Add((entry, counted.Add(entry.Address) ? entry.Bytes : 0));
            }
        }
    }

    /// <summary>Ends a call that succeeded or failed.</summary>
    internal void Leave(Call? call)
    {
        if (call is null) return;
        lock (_gate) _innermost = call.Parent;
    }

    /// <summary>Adds a new tensor, if code of a model has created it.</summary>
    internal void Add(torch.Tensor tensor)
    {
        if (Environment.CurrentManagedThreadId != _thread)
        {
            Interlocked.Increment(ref _elsewhere);
            return;
        }

        if (_innermost is not { } call || Frames() is not { Length: > 0 } frames) return;
        lock (_gate)
        {
            Purge();
            var (address, bytes) = Storage(tensor);
            var entry = new Entry(tensor, call, frames, address, bytes, Describe(tensor));
            _alive.Add(entry);
            if (address != 0 && !_given.Contains(address))
            {
                var (count, _) = _memory.GetValueOrDefault(address);
                _memory[address] = (count + 1, bytes);
                if (count == 0) _bytes += bytes;
            }

            for (var outer = call; outer is not null; outer = outer.Parent) outer.Peak = Math.Max(outer.Peak, _bytes - outer.Before);
        }
    }

    /// <summary>Returns the tensors in arguments or a result.</summary>
    private static HashSet<torch.Tensor> Tensors(object? value)
    {
        var found = new HashSet<torch.Tensor>(ReferenceEqualityComparer.Instance);
        ReachableTensors.Visit(value, tensor => found.Add(tensor));
        return found;
    }

    private static MethodBase[] Methods(StackFrame[] frames) => [.. frames.Select(frame => frame.GetMethod()).OfType<MethodBase>()];

    private static StackFrame[] Frames() => [.. new StackTrace(2, true).GetFrames().Where(frame =>
        frame.GetMethod()?.DeclaringType is { } type && ShapeReads.IsModelAssembly(type.Assembly))];

    private static unsafe (IntPtr Address, long Bytes) Storage(torch.Tensor tensor)
    {
        if (tensor.IsInvalid) return default;
        using var lease = tensor.Lease();
        int layout, device;
        long bytes, offset;
        void* start;
        // Only what has a memory of its own is asked for its address: libtorch writes each failure to the console.
        if (Abi.get_layout(lease.Handle, &layout) != 0 || layout != 0 || Abi.get_device_type(lease.Handle, &device) != 0
            || device == (int)TorchSharp.DeviceType.META || Abi.get_storage_size(lease.Handle, &bytes) != 0 || bytes == 0
            || Abi.get_storage_offset(lease.Handle, &offset) != 0 || Abi.const_data_ptr(lease.Handle, &start) != 0) return default;
        return ((IntPtr)start - (IntPtr)(offset * tensor.element_size()), bytes);
    }

    private static string Describe(torch.Tensor tensor) =>
        tensor.IsInvalid ? "" : $"{tensor.dtype} [{string.Join(", ", tensor.Sizes)}]";

    /// <summary>Forgets the tensors that were disposed.</summary>
    private void Purge() => _alive.RemoveAll(entry =>
    {
        if (!entry.Tensor.IsInvalid) return false;
        if (_memory.TryGetValue(entry.Address, out var memory))
        {
            if (memory.Count == 1)
            {
                _memory.Remove(entry.Address);
                _bytes -= memory.Bytes;
            }
            else
            {
                _memory[entry.Address] = (memory.Count - 1, memory.Bytes);
            }
        }

        return true;
    });

    private string Write()
    {
        lock (_gate)
        {
            using var stream = new MemoryStream();
            using (var json = new Utf8JsonWriter(stream))
            {
                json.WriteStartObject();
                json.WriteNumber("elsewhere", _elsewhere);
                json.WriteStartArray("calls");
                foreach (var call in _calls) call.Write(json);
                json.WriteEndArray();
                json.WriteEndObject();
            }

            return System.Text.Encoding.UTF8.GetString(stream.ToArray());
        }
    }

    /// <summary>A tensor that lives, and where it was created.</summary>
    internal sealed record Entry(
        torch.Tensor Tensor, Call Creator, StackFrame[] Frames, IntPtr Address, long Bytes, string Description)
    {
        /// <summary>Gets or sets the innermost call that has not returned the tensor.</summary>
        internal Call? Keeper { get; set; }

        // After the outermost call, only a tensor that something refers to lives, in no scope.
        internal bool IsHeld => !Tensor.IsInvalid && Tensor.Scope is null;

        /// <summary>Returns the line of the keeper's class, or else the innermost, where the tensor was created.</summary>
        internal (string File, int Line, string Method) Place(Type keeper)
        {
            var methods = Methods(Frames);
            var at = Array.FindIndex(methods, method => Outermost(method.DeclaringType!, keeper));
            var frame = Frames[Math.Max(at, 0)];
            return (frame.GetFileName() ?? "", frame.GetFileLineNumber(), Caller.SourceName(methods[Math.Max(at, 0)]));
        }

        // A lambda's method is in a nested class.
        private static bool Outermost(Type type, Type keeper)
        {
            for (var outer = type; outer is not null; outer = outer.DeclaringType)
            {
                var plain = outer.IsGenericType ? outer.GetGenericTypeDefinition() : outer;
                for (var own = keeper; own is not null; own = own.BaseType)
                    if ((own.IsGenericType ? own.GetGenericTypeDefinition() : own) == plain) return true;
            }

            return false;
        }
    }

    /// <summary>A call of a module.</summary>
    internal sealed class Call(torch.nn.Module module, Call? parent, long before)
    {
        internal Call? Parent => parent;

        internal long Before => before;

        internal long Peak { get; set; }

        internal int Live { get; set; }

        internal int Ended { get; set; }

        internal List<(Entry Entry, long Bytes)> Kept { get; } = [];

        internal bool IsWithin(Call other)
        {
            for (var call = this; call is not null; call = call.Parent)
                if (call == other) return true;
            return false;
        }

        internal void Write(Utf8JsonWriter json)
        {
            json.WriteStartObject();
            json.WriteNumber("id", module.Id);
            json.WriteNumber("ended", Ended);
            json.WriteNumber("live", Live);
            json.WriteNumber("peak", Peak);
            json.WriteStartArray("kept");
            foreach (var (entry, bytes) in Kept.Where(item => !item.Entry.IsHeld))
            {
                var (file, line, method) = entry.Place(module.GetType());
                json.WriteStartObject();
                json.WriteString("file", file);
                json.WriteNumber("line", line);
                json.WriteString("method", method);
                json.WriteString("tensor", entry.Description);
                json.WriteNumber("bytes", bytes);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }
    }
}
