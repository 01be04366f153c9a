using System.Buffers;
using System.Runtime.ExceptionServices;
using System.Text.Json;
using Bridge.TorchSharp;

namespace Bridge.Host;

/// <summary>Records the module calls within one call of a model, with a copy of each tensor's elements at each event.</summary>
/// <remarks>Records the same events as <see cref="HookTrace"/>, but writes them into an answer to Python instead of a file.</remarks>
internal sealed class CallTracer : ICallListenerFactory, IDisposable
{
    private readonly ArrayBufferWriter<byte> _written = new();
    private readonly Utf8JsonWriter _json;
    private readonly ValueEncoder _encoder;
    private readonly TensorAccess _access;
    private readonly ThreadLocal<OpenCalls<(ModuleNode Node, int Call)>> _open = new(() => new());
    private readonly ModelAttachment _attachment;
    private int _calls;
    private int _outer = -1; // The call that RunUncalled records.
    private (object Module, object?[] Given)? _expected;

    /// <summary>Begins to record.</summary>
    /// <param name="model">The root module.</param>
    /// <param name="encoder">Encodes the values.</param>
    /// <param name="access">Copies the elements of tensors.</param>
    /// <exception cref="NotSupportedException">The model runs on Bridge.Torch, or on an unknown version of TorchSharp.</exception>
    internal CallTracer(object model, ValueEncoder encoder, TensorAccess access)
    {
        (_encoder, _access) = (encoder, access);
        _attachment = new(model);
        _json = new(_written);
        _json.WriteStartArray();
        _attachment.Attach(this);
        AppDomain.CurrentDomain.FirstChanceException += OnException;
    }

    /// <summary>
    /// Ends the recording and writes its events, an array of objects:
    /// <list type="bullet">
    /// <item><c>path</c>, <c>type</c>: the module's path, and its class</item>
    /// <item><c>phase</c>: <c>pre</c> or <c>forward</c></item>
    /// <item><c>call</c>, <c>parent</c>: the numbers of the call and of the enclosing call; -1 for no enclosing call</item>
    /// <item><c>values</c>: the arguments or the result</item>
    /// </list>
    /// </summary>
    internal void Write(Utf8JsonWriter json)
    {
        lock (_json)
        {
            _json.WriteEndArray();
            _json.Flush();
            json.WriteRawValue(_written.WrittenSpan, skipInputValidation: true);
        }
    }

    /// <summary>Announces that Python calls a module, so that the call's arguments are recorded as Python gave them.</summary>
    internal void Expect(object module, object?[] given) => _expected = (module, given);

    /// <summary>Runs and records a method that Python calls instead of <c>call</c>, such as an added overload of <c>forward</c>.</summary>
    /// <param name="module">The module.</param>
    /// <param name="arguments">The positional arguments.</param>
    /// <param name="run">Calls the method, and returns a plain value (see <see cref="Torch.Tuples"/>).</param>
    internal object? RunUncalled(HostedModule module, object?[] arguments, Func<object?> run)
    {
        lock (_json) WriteEvent(module.Path, module.Type, "pre", _outer = _calls++, -1, arguments);
        var call = _outer;
        try
        {
            var result = run();
            lock (_json) WriteEvent(module.Path, module.Type, "forward", call, -1, result);
            return result;
        }
        finally
        {
            _outer = -1;
        }
    }

    public void Dispose()
    {
        AppDomain.CurrentDomain.FirstChanceException -= OnException;
        _attachment.Dispose();
        _json.Dispose();
    }

    CallListener<TArgs, TResult> ICallListenerFactory.CreateListener<TArgs, TResult>(
        ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result) =>
        new Writer<TArgs, TResult>(this, node, arguments);

    private void OnException(object? sender, FirstChanceExceptionEventArgs raised)
    {
        if (_open.IsValueCreated) _open.Value!.OnException();
    }

    // Returns this thread's calls that have not ended, after removing those that an exception has ended.
    private OpenCalls<(ModuleNode Node, int Call)> LiveCalls(bool entering)
    {
        var open = _open.Value!;
        if (!open.MayHaveEnded) return open;
        var alive = open.CountAlive(entering, static call => call.Node.Module.GetType());
        while (open.Count > alive) open.Pop();
        return open;
    }

    private void WriteEvent(string path, string type, string phase, int call, int parent, params ReadOnlySpan<object?> values)
    {
        _json.WriteStartObject();
        _json.WriteString("path", path);
        _json.WriteString("type", type);
        _json.WriteString("phase", phase);
        _json.WriteNumber("call", call);
        _json.WriteNumber("parent", parent);
        _json.WriteStartArray("values");
        foreach (var value in values) _encoder.WriteCopy(_json, value, _access);
        _json.WriteEndArray();
        _json.WriteEndObject();
    }

    private sealed class Writer<TArgs, TResult>(CallTracer tracer, ModuleNode node, Arguments<TArgs> arguments)
        : CallListener<TArgs, TResult>
    {
        internal override bool Entered(object module, ref TArgs args)
        {
            var open = tracer.LiveCalls(entering: true);
            var parent = open.Count == 0 ? tracer._outer : open[open.Count - 1].Call;
            lock (tracer._json)
            {
                var call = tracer._calls++;
                var given = tracer._expected is { } expected && expected.Module == module ? expected.Given : arguments.Box(in args);
                tracer._expected = null;
                tracer.WriteEvent(node.Path, node.Type, "pre", call, parent, given);
                open.Push() = (node, call);
            }

            return false;
        }

        internal override void Computed(object module, in TArgs args, ref TResult result)
        {
            var open = tracer.LiveCalls(entering: false);
            if (open.Count == 0 || open[open.Count - 1].Node != node) return;
            var call = open[open.Count - 1].Call;
            open.Pop();
            var parent = open.Count == 0 ? tracer._outer : open[open.Count - 1].Call;
            lock (tracer._json) tracer.WriteEvent(node.Path, node.Type, "forward", call, parent, result);
            // Writing the values may have thrown and caught exceptions, which end no calls.
            if (open.MayHaveEnded) open.Confirm(CallStack.CaptureOutsideHook().Without);
        }
    }
}
