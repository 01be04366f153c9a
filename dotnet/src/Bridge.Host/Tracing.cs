using System.Buffers;
using System.Runtime.ExceptionServices;
using System.Text.Json;
using Bridge.TorchSharp;

namespace Bridge.Host;

/// <summary>Writes the module calls of one call of a model, with the elements of all tensors as they are at each event.</summary>
/// <remarks>The events are those of <see cref="HookTrace"/>, which has no elements and writes a file.</remarks>
internal sealed class Tracing : IListening, IDisposable
{
    private readonly ArrayBufferWriter<byte> _written = new();
    private readonly Utf8JsonWriter _json;
    private readonly Outgoing _outgoing;
    private readonly TensorCrossing _crossing;
    private readonly ThreadLocal<OpenCalls<(ModuleNode Node, int Call)>> _open = new(() => new());
    private readonly Attached _attached;
    private int _calls;

    /// <param name="model">The root.</param>
    /// <param name="outgoing">Takes the tensors.</param>
    /// <param name="crossing">Copies them.</param>
    /// <exception cref="NotSupportedException">The model is Bridge.Torch's.</exception>
    internal Tracing(object model, Outgoing outgoing, TensorCrossing crossing)
    {
        (_outgoing, _crossing) = (outgoing, crossing);
        _attached = new(model);
        _json = new(_written);
        _json.WriteStartArray();
        _attached.Attach(this);
        AppDomain.CurrentDomain.FirstChanceException += Thrown;
    }

    /// <summary>Writes the events as an array: for each <c>path</c>, <c>type</c>, <c>phase</c>, <c>call</c>, <c>parent</c> and <c>values</c>.</summary>
    internal void Write(Utf8JsonWriter json)
    {
        lock (_json)
        {
            _json.WriteEndArray();
            _json.Flush();
            json.WriteRawValue(_written.WrittenSpan, skipInputValidation: true);
        }
    }

    public void Dispose()
    {
        AppDomain.CurrentDomain.FirstChanceException -= Thrown;
        _attached.Dispose();
        _json.Dispose();
    }

    Listener<TArgs, TResult> IListening.Listen<TArgs, TResult>(ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result) =>
        new Writer<TArgs, TResult>(this, node, arguments);

    private void Thrown(object? sender, FirstChanceExceptionEventArgs raised)
    {
        if (_open.IsValueCreated) _open.Value!.Thrown();
    }

    private OpenCalls<(ModuleNode Node, int Call)> Open(bool entering)
    {
        var open = _open.Value!;
        if (!open.IsDoubtful) return open;
        var alive = open.Alive(entering, static call => call.Node.Module.GetType());
        while (open.Count > alive) open.Pop();
        return open;
    }

    private void Event(ModuleNode node, string phase, int call, int parent, params ReadOnlySpan<object?> values)
    {
        _json.WriteStartObject();
        _json.WriteString("path", node.Path);
        _json.WriteString("type", node.Type);
        _json.WriteString("phase", phase);
        _json.WriteNumber("call", call);
        _json.WriteNumber("parent", parent);
        _json.WriteStartArray("values");
        foreach (var value in values) _outgoing.WriteCopy(_json, value, _crossing);
        _json.WriteEndArray();
        _json.WriteEndObject();
    }

    private sealed class Writer<TArgs, TResult>(Tracing tracing, ModuleNode node, Arguments<TArgs> arguments) : Listener<TArgs, TResult>
    {
        internal override bool Entered(object module, ref TArgs args)
        {
            var open = tracing.Open(entering: true);
            var parent = open.Count == 0 ? -1 : open[open.Count - 1].Call;
            lock (tracing._json)
            {
                var call = tracing._calls++;
                tracing.Event(node, "pre", call, parent, arguments.Box(in args));
                open.Push() = (node, call);
            }

            return false;
        }

        internal override void Computed(object module, in TArgs args, ref TResult result)
        {
            var open = tracing.Open(entering: false);
            if (open.Count == 0 || open[open.Count - 1].Node != node) return;
            var call = open[open.Count - 1].Call;
            open.Pop();
            var parent = open.Count == 0 ? -1 : open[open.Count - 1].Call;
            lock (tracing._json) tracing.Event(node, "forward", call, parent, result);
            // What was thrown, and caught, while values were written.
            if (open.IsDoubtful) open.Settle(CallStack.OfHook().Without);
        }
    }
}
