using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Interop;

namespace Bridge.Host;

/// <summary>Loads models and calls them.</summary>
internal static unsafe class ModelMethods
{
    /// <summary>
    /// Makes the model of class <c>type</c> (or of the static method of that name) of the assembly <c>path</c> with <c>arguments</c>, as number <c>model</c>.
    /// Gives <c>modules</c>: for each <c>path</c> and <c>same</c>, the path of the same module, or <c>type</c>, <c>training</c>, the
    /// parameters of <c>forward</c> and whether each may be left out, <c>parameters</c> and <c>buffers</c> by name: tensors, or the name of the same one. Their elements follow as those of a call.
    /// </summary>
    internal static void Load(JsonElement given, Session session, Utf8JsonWriter result)
    {
        var library = session.Library ?? throw new InvalidOperationException("It is not chosen yet what models run on.");
        var path = given.GetProperty("path").GetString()!;
        var incoming = Incoming(given, session); // also where nothing is read of it: so its block is noted, and given back
        library.Random?.Follow(given, incoming);
        var root = Make(ModelContext.Open(path, library), given.GetProperty("type").GetString()!, given.GetProperty("arguments"), library);
        var model = session.Models[given.GetProperty("model").GetInt64()] = new HostedModel(root, library);
        session.Outgoing.Clear();
        var written = new Dictionary<object, string>(ReferenceEqualityComparer.Instance);
        result.WriteStartArray("modules");
        foreach (var module in model.Modules)
        {
            result.WriteStartObject();
            result.WriteString("path", module.Path);
            if (module.Same is not null)
            {
                result.WriteString("same", module.Same);
            }
            else
            {
                result.WriteString("type", module.Type);
                result.WriteBoolean("training", model.Trains(module));
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
        model.Bytes = session.Outgoing.Length;
        library.Random?.Write(result, session.Outgoing);
        Deliver(given, session, result);

        void Write(string what, HostedModule module, IReadOnlyList<(string Name, object Tensor)> tensors)
        {
            result.WriteStartObject(what);
            foreach (var (name, tensor) in tensors)
            {
                result.WritePropertyName(name);
                // One tensor under two names is written once.
                if (written.TryGetValue(tensor, out var first)) result.WriteStringValue(first);
                else session.Outgoing.Write(result, tensor, library.Tensors);
                written.TryAdd(tensor, module.Path.Length == 0 ? name : $"{module.Path}.{name}");
            }

            result.WriteEndObject();
        }
    }

    /// <summary>
    /// Calls the module <c>path</c> of <c>model</c> with <c>arguments</c>, whose tensors are in <c>block</c>, after it has set <c>training</c> and
    /// <c>state</c>, with gradients if <c>grad</c> says so, on <c>threads</c>. Gives with <c>trace</c> the <c>events</c>, <c>value</c> or the <c>failure</c> that the module threw, the parameters and buffers that it has written to as <c>state</c> (all
    /// <c>buffers</c> where asked for), the modules that it has set to train or not to as <c>training</c>, the generator's state as <c>random</c> where something was drawn, and <c>need</c>: the bytes of all
    /// these tensors. They are in the block <c>room</c> where that has so many (<c>there</c>), else <c>take</c> gives them. One that is on its argument's memory stays in that block, at an offset: <c>inside</c>. <c>free</c> are blocks of arguments that
    /// nothing here uses any more: large tensors are on the block itself, as long as the model keeps them.
    /// </summary>
    internal static void Call(JsonElement given, Session session, Utf8JsonWriter result)
    {
        Compute(given, session, result);
        var bytes = session.Outgoing.Length;
        Deliver(given, session, result);
        NativeMemoryUse.Called(bytes + (given.TryGetProperty("bytes", out var arrived) ? arrived.GetInt64() : 0));
    }

    // In a frame of its own: what it has in its hands is garbage when it has returned.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Compute(JsonElement given, Session session, Utf8JsonWriter result)
    {
        var model = session.Model(given.GetProperty("model").GetInt64());
        var library = session.Library!; // a model has been made on it
        session.Outgoing.Clear();
        var incoming = Incoming(given, session);
        if (given.TryGetProperty("threads", out var threads)) library.Threads(threads.GetInt32());
        if (given.TryGetProperty("training", out var modes)) model.Train(modes);
        if (given.TryGetProperty("state", out var state)) model.Fill(state, incoming);
        library.Random?.Follow(given, incoming);
        if (modes.ValueKind != JsonValueKind.Undefined || state.ValueKind != JsonValueKind.Undefined) model.Note();
        var path = given.GetProperty("path").GetString()!;
        object? value = null;
        Exception? thrown = null;
        using (var tracing = Is(given, "trace") ? new Tracing(model.Root, session.Outgoing, library.Tensors) : null)
        {
            try
            {
                using (library.Grad(Is(given, "grad"))) value = model.Call(path, given.GetProperty("arguments"), incoming);
            }
            catch (Exception exception)
            {
                // A result too: what was recorded before it, and what was written to buffers, is there as in Python's own process.
                thrown = exception;
            }

            if (tracing is not null)
            {
                result.WritePropertyName("events");
                tracing.Write(result);
            }
        }

        if (thrown is null)
        {
            result.WritePropertyName("value");
            session.Outgoing.Write(result, value, library.Tensors);
        }
        else
        {
            result.WritePropertyName("failure");
            Thrown.Write(result, thrown);
        }

        library.Random?.Write(result, session.Outgoing);
        result.WriteStartObject("state");
        foreach (var (name, tensor) in model.Written(Is(given, "buffers")))
        {
            result.WritePropertyName(name);
            session.Outgoing.Write(result, tensor, library.Tensors);
        }

        result.WriteEndObject();
        result.WriteStartArray("training");
        foreach (var (at, training) in model.Turned())
        {
            result.WriteStartArray();
            result.WriteStringValue(at);
            result.WriteBooleanValue(training);
            result.WriteEndArray();
        }

        result.WriteEndArray();
    }

    /// <summary>Copies what was left for want of room into the block <c>room</c>.</summary>
    internal static void Take(JsonElement given, Session session, Utf8JsonWriter result) => Deliver(given, session, result);

    private static Incoming Incoming(JsonElement given, Session session)
    {
        if (!given.TryGetProperty("block", out var block)) return new(session, -1);
        session.Memory.Begin(block.GetInt64());
        return new(session, block.GetInt64());
    }

    private static bool Is(JsonElement given, string name) => given.TryGetProperty(name, out var flag) && flag.GetBoolean();

    private static void Deliver(JsonElement given, Session session, Utf8JsonWriter result)
    {
        var need = session.Outgoing.Length;
        // A result on its argument's memory, which nothing else uses here, needs no copy: Python has that memory already.
        if (session.Outgoing.TakePlace(session.Memory, out var start))
        {
            NativeMemoryUse.Collect(1);
            if (session.Memory.Leave() is { } block)
            {
                session.Outgoing.Clear();
                result.WriteStartArray("inside");
                result.WriteNumberValue(block);
                result.WriteNumberValue(start);
                result.WriteEndArray();
            }
        }

        var fits = given.TryGetProperty("room", out var room) && need <= room[1].GetInt64();
        result.WriteNumber("need", need);
        result.WriteBoolean("there", fits);
        if (fits) session.Outgoing.CopyTo(session.Memory.At(room[0].GetInt64(), 0, need));
        session.Memory.WriteFree(result);
    }

    private static object Make(Assembly assembly, string name, JsonElement arguments, ModelLibrary library)
    {
        string Others() => TypeNames.Others(assembly, name, library.Module);
        MethodBase[] makers;
        if (TypeNames.Find(assembly, name) is { } type)
        {
            if (!library.Module.IsAssignableFrom(type))
                throw new ArgumentException($"{name} is not a module of {library.Title}: it does not derive from its torch.nn.Module.{(type is { IsAbstract: true, IsSealed: true } ? Others() : "")}");
            if (type.IsAbstract) throw new ArgumentException($"{name} is abstract and cannot be created.");
            makers = Constructors.Of(type);
        }
        else
        {
            makers = [.. TypeNames.Factories(assembly, name, library.Module).Where(Constructors.IsOpen)];
            if (makers.Length == 0) throw new ArgumentException($"{assembly.GetName().Name}.dll has no type '{name}'.{Others()}");
        }

        return Constructors.Invoke(makers, name, arguments);
    }
}
