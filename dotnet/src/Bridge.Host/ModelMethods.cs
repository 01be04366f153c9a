using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Interop;
using ForwardParameter = Bridge.Torch.ForwardParameter;
using PythonTypes = Bridge.Torch.PythonTypes;

namespace Bridge.Host;

/// <summary>The methods that create models and call them.</summary>
internal static unsafe class ModelMethods
{
    /// <summary>
    /// Creates a model from <c>arguments</c>, and registers it under the number <c>model</c>. The model is an instance of the class
    /// <c>type</c> of the assembly at <c>path</c>, or the result of the static method <c>type</c>.
    /// </summary>
    /// <remarks>
    /// The answer has the array <c>modules</c>. An item for a module that an earlier item describes has only <c>path</c> and <c>same</c>,
    /// the module's first path. Any other item has:
    /// <list type="bullet">
    /// <item><c>path</c>, <c>type</c>: the module's path, and its class</item>
    /// <item><c>training</c>: whether the module is in train mode</item>
    /// <item><c>signature</c>, <c>arguments</c>, <c>types</c>: see <see cref="Bridge.Torch.PythonTypes.WriteForward"/></item>
    /// <item><c>parameters</c>, <c>buffers</c>: map each name to a tensor; or, if the tensor was written before, to its first full
    /// name</item>
    /// </list>
    /// The elements of tensors, and <c>random</c>, are delivered as by <see cref="Call"/>.
    /// </remarks>
    internal static void Load(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        var (library, assembly) = Open(given, session);
        var root = ModuleFactory.Create(
            assembly, given.GetProperty("type").GetString()!, given.GetProperty("arguments"), library.Module, library.Title,
            session.Objects.Get);
        var model = session.Models[given.GetProperty("model").GetInt64()] = new HostedModel(root, library);
        session.Encoder.Clear();
        var written = new Dictionary<object, string>(ReferenceEqualityComparer.Instance);
        result.WriteStartArray("modules");
        foreach (var module in model.Modules)
        {
            result.WriteStartObject();
            result.WriteString("path", module.Path);
            if (module.FirstPath is not null)
            {
                result.WriteString("same", module.FirstPath);
            }
            else
            {
                result.WriteString("type", module.Type);
                result.WriteBoolean("training", model.IsTraining(module));
                PythonTypes.WriteForward(result, module.Module.GetType(), HostedCall.Of(module.Module.GetType()).Parameters);
                Write("parameters", module, module.Parameters);
                Write("buffers", module, module.Buffers);
            }

            result.WriteEndObject();
        }

        result.WriteEndArray();
        model.Bytes = session.Encoder.Length;
        library.Random?.WriteIfChanged(result, session.Encoder);
        Deliver(given, session, result);

        void Write(string key, HostedModule module, IReadOnlyList<(string Name, object Tensor)> tensors)
        {
            result.WriteStartObject(key);
            foreach (var (name, tensor) in tensors)
            {
                result.WritePropertyName(name);
                // A tensor with two names is written once.
                if (written.TryGetValue(tensor, out var first)) result.WriteStringValue(first);
                else session.Encoder.Write(result, tensor, library.Tensors);
                written.TryAdd(tensor, module.Path.Length == 0 ? name : $"{module.Path}.{name}");
            }

            result.WriteEndObject();
        }
    }

    /// <summary>
    /// Calls the module <c>path</c> of <c>model</c> with <c>arguments</c>, whose tensors are in <c>block</c>. If the request has an
    /// <c>operation</c>, runs that operation on the module instead (<see cref="ObjectMethods.Run"/>).
    /// </summary>
    /// <remarks>
    /// <para>Applies <c>threads</c>, <c>training</c>, <c>state</c>, <c>random</c> and <c>grad</c> before the call.</para>
    /// <para>The result has:</para>
    /// <list type="bullet">
    /// <item><c>value</c>: the result of the module; or <c>failure</c>: the exception that the call threw</item>
    /// <item><c>events</c>: the recorded events, if <c>trace</c> was set</item>
    /// <item><c>state</c>: the parameters and buffers that the call changed; if <c>buffers</c> was set, also all other buffers</item>
    /// <item><c>training</c>: the modules whose train mode the call changed, as pairs of path and mode</item>
    /// <item><c>random</c>: the generator's state, if it changed</item>
    /// <item><c>need</c>: the size of all tensors in bytes</item>
    /// <item><c>there</c>: whether the tensors fit into the block <c>room</c> and so were copied to it; if not, <c>take</c> copies them.
    /// If <c>inside</c> is present, nothing is copied</item>
    /// <item><c>inside</c>: the block and the offset of a result that is not copied, because it is in the memory of an argument</item>
    /// <item><c>free</c>: the blocks of arguments that no tensor uses any more</item>
    /// </list>
    /// </remarks>
    internal static void Call(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        Compute(given, session, result);
        var bytes = session.Encoder.Length;
        Deliver(given, session, result);
        NativeMemoryUse.CollectAfterCall(bytes + (given.TryGetProperty("bytes", out var arrived) ? arrived.GetInt64() : 0));
    }

    // Not inlined, so that its local variables are garbage when Call collects.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Compute(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        var model = session.Model(given.GetProperty("model").GetInt64());
        var library = session.Library!; // Not null, since the model was created on it.
        session.Encoder.Clear();
        var decoder = CreateDecoder(given, session);
        if (given.TryGetProperty("threads", out var threads)) library.SetThreads(threads.GetInt32());
        if (given.TryGetProperty("training", out var modes)) model.SetTraining(modes);
        if (given.TryGetProperty("state", out var state)) model.SetState(state, decoder);
        library.Random?.Apply(given, decoder);
        if (modes.ValueKind != JsonValueKind.Undefined || state.ValueKind != JsonValueKind.Undefined) model.TakeSnapshot();
        var path = given.GetProperty("path").GetString()!;
        object? value = null;
        Exception? thrown = null;
        using (var tracer = HasFlag(given, "trace") ? new CallTracer(model.Root, session.Encoder, library.Tensors) : null)
        {
            try
            {
                using (library.SetGradEnabled(HasFlag(given, "grad")))
                {
                    var (positional, named) = decoder.DecodeArguments(given.GetProperty("arguments"));
                    value = given.TryGetProperty("operation", out _)
                        ? ObjectMethods.Run(model.Module(path).Module, given, positional, named)
                        : model.CallModule(path, positional, named, tracer);
                }
            }
            catch (Exception exception)
            {
                // Returned as a result, so that Python gets the events and the writes to buffers before the exception.
                thrown = exception;
            }

            if (tracer is not null)
            {
                result.WritePropertyName("events");
                tracer.Write(result);
            }
        }

        if (thrown is null)
        {
            result.WritePropertyName("value");
            if (given.TryGetProperty("operation", out _)) session.Encoder.WriteMarked(result, value, library.Tensors);
            else session.Encoder.Write(result, value, library.Tensors);
        }
        else
        {
            result.WritePropertyName("failure");
            ExceptionReport.Write(result, thrown);
        }

        library.Random?.WriteIfChanged(result, session.Encoder);
        result.WriteStartObject("state");
        foreach (var (name, tensor) in model.ChangedTensors(HasFlag(given, "buffers")))
        {
            result.WritePropertyName(name);
            session.Encoder.Write(result, tensor, library.Tensors);
        }

        result.WriteEndObject();
        result.WriteStartArray("training");
        foreach (var (at, training) in model.ChangedModes())
        {
            result.WriteStartArray();
            result.WriteStringValue(at);
            result.WriteBooleanValue(training);
            result.WriteEndArray();
        }

        result.WriteEndArray();
    }

    /// <summary>Copies the tensors of the last result, which did not fit into the block, to a larger block <c>room</c>.</summary>
    internal static void Take(JsonElement given, HostSession session, Utf8JsonWriter result) => Deliver(given, session, result);

    /// <summary>Applies the request's <c>random</c>, and opens the assembly <c>path</c> to create a model or an object.</summary>
    /// <exception cref="InvalidOperationException">No library was chosen.</exception>
    internal static (ModelLibrary Library, Assembly Assembly) Open(JsonElement given, HostSession session)
    {
        var library = session.Library
            ?? throw new InvalidOperationException("No library was chosen: ask for use_torchsharp or use_bridge_torch first.");
        var path = given.GetProperty("path").GetString()!;
        var decoder = CreateDecoder(given, session); // Also registers the block, so that Python gets it back.
        library.Random?.Apply(given, decoder);
        return (library, TorchSharpAssemblyContext.Open(path, library.Assembly));
    }

    internal static ValueDecoder CreateDecoder(JsonElement given, HostSession session)
    {
        if (!given.TryGetProperty("block", out var block)) return new(session, -1);
        session.Memory.BeginRequest(block.GetInt64());
        return new(session, block.GetInt64());
    }

    internal static bool HasFlag(JsonElement given, string name) => given.TryGetProperty(name, out var flag) && flag.GetBoolean();

    /// <summary>
    /// Leaves the tensors of a result in the memory of an argument, or copies them to the block <c>room</c> if they fit. Then ends the
    /// request.
    /// </summary>
    internal static void Deliver(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        var need = session.Encoder.Length;
        // A result in the memory of an argument need not be copied, because Python has that memory mapped. But it must be copied if another
        // tensor of this process uses that memory.
        if (session.Encoder.TryAliasArguments(session.Memory, out var start))
        {
            NativeMemoryUse.Collect(1);
            if (session.Memory.TryReturnBlock() is { } block)
            {
                session.Encoder.Clear();
                result.WriteStartArray("inside");
                result.WriteNumberValue(block);
                result.WriteNumberValue(start);
                result.WriteEndArray();
            }
        }

        var fits = given.TryGetProperty("room", out var room) && need <= room[1].GetInt64();
        result.WriteNumber("need", need);
        result.WriteBoolean("there", fits);
        if (fits) session.Encoder.CopyTo(session.Memory.Address(room[0].GetInt64(), 0, need));
        session.Memory.WriteFree(result);
    }
}
