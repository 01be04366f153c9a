using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Interop;

namespace Bridge.Host;

/// <summary>The methods that create models and call them.</summary>
internal static unsafe class ModelMethods
{
    /// <summary>
    /// Creates a model, by the class or static method <c>type</c> of the assembly <c>path</c> with <c>arguments</c>, as number
    /// <c>model</c>.
    /// </summary>
    /// <remarks>
    /// The result has <c>modules</c>. Each has its <c>path</c> and either <c>same</c>, the first path of a module that occurs twice, or
    /// <c>type</c>, <c>training</c>, <c>forward</c> (the parameters, and whether each has a default), and <c>parameters</c> and
    /// <c>buffers</c> by name: a tensor, or the name under which the same tensor came first. Elements are delivered as by <c>call</c>.
    /// </remarks>
    internal static void Load(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        var library = session.Library
            ?? throw new InvalidOperationException("No library was chosen: ask for use_torchsharp or use_bridge_torch first.");
        var path = given.GetProperty("path").GetString()!;
        var decoder = CreateDecoder(given, session); // Also without tensors, so that the block of the request is returned to Python.
        library.Random?.Apply(given, decoder);
        var assembly = HostedAssemblyContext.Open(path, library);
        var root = CreateModel(assembly, given.GetProperty("type").GetString()!, given.GetProperty("arguments"), library);
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
                result.WriteStartArray("forward");
                foreach (var (name, optional) in HostedModel.Parameters(module))
                {
                    result.WriteStartArray();
                    result.WriteStringValue(name);
                    result.WriteBooleanValue(optional);
                    result.WriteEndArray();
                }

                result.WriteEndArray();
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

    /// <summary>Calls the module <c>path</c> of <c>model</c> with <c>arguments</c>, whose tensors are in <c>block</c>.</summary>
    /// <remarks>
    /// <para>Before the call it applies <c>threads</c>, <c>training</c>, <c>state</c>, <c>random</c> and <c>grad</c>.</para>
    /// <para>The result has <c>value</c>, or <c>failure</c> if the module threw; <c>events</c> if <c>trace</c> was set; as <c>state</c> the
    /// parameters and buffers that the call changed (all buffers if <c>buffers</c> was set); as <c>training</c> the modules whose mode it
    /// changed; as <c>random</c> the generator's state if it changed.</para>
    /// <para><c>need</c> is the size of all tensors in bytes. If the block <c>room</c> is large enough, they are in it and <c>there</c> is
    /// true; otherwise <c>take</c> copies them. <c>inside</c> is the block and offset of a result that is on the memory of an argument.
    /// <c>free</c> lists the blocks of arguments that are no longer in use: large tensors are on the block itself while the model keeps
    /// them.</para>
    /// </remarks>
    internal static void Call(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        Compute(given, session, result);
        var bytes = session.Encoder.Length;
        Deliver(given, session, result);
        NativeMemoryUse.CollectAfterCall(bytes + (given.TryGetProperty("bytes", out var arrived) ? arrived.GetInt64() : 0));
    }

    // Not inlined, so that its local variables are garbage when it has returned.
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
                    value = model.CallModule(path, given.GetProperty("arguments"), decoder);
            }
            catch (Exception exception)
            {
                // Returned as a result: the recorded events and the writes to buffers before it remain, as in Python's own process.
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
            session.Encoder.Write(result, value, library.Tensors);
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

    /// <summary>Copies the tensors that did not fit before into the block <c>room</c>.</summary>
    internal static void Take(JsonElement given, HostSession session, Utf8JsonWriter result) => Deliver(given, session, result);

    private static ValueDecoder CreateDecoder(JsonElement given, HostSession session)
    {
        if (!given.TryGetProperty("block", out var block)) return new(session, -1);
        session.Memory.BeginRequest(block.GetInt64());
        return new(session, block.GetInt64());
    }

    private static bool HasFlag(JsonElement given, string name) => given.TryGetProperty(name, out var flag) && flag.GetBoolean();

    private static void Deliver(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        var need = session.Encoder.Length;
        // A result on the memory of an argument is not copied if nothing else uses that memory here, because Python has it mapped already.
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

    private static object CreateModel(Assembly assembly, string name, JsonElement arguments, ModelLibrary library)
    {
        string Others() => TypeNames.Alternatives(assembly, name, library.Module);
        MethodBase[] makers;
        if (TypeNames.Find(assembly, name) is { } type)
        {
            if (!library.Module.IsAssignableFrom(type))
            {
                var others = type is { IsAbstract: true, IsSealed: true } ? Others() : "";
                throw new ArgumentException(
                    $"{name} is not a module of {library.Title}: it does not derive from its torch.nn.Module.{others}");
            }

            if (type.IsAbstract) throw new ArgumentException($"{name} is abstract and cannot be created.");
            makers = Constructors.Accessible(type);
        }
        else
        {
            makers = [.. TypeNames.Factories(assembly, name, library.Module).Where(Constructors.IsAccessible)];
            if (makers.Length == 0) throw new ArgumentException($"{assembly.GetName().Name}.dll has no type '{name}'.{Others()}");
        }

        return Constructors.Invoke(makers, name, arguments);
    }
}
