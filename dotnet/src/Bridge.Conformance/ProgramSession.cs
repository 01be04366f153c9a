using System.Collections.Concurrent;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>A run of a hook program by the C# interpreter: its modules, saved results, hooks, handles and events.</summary>
internal sealed class ProgramSession : IDisposable
{
    private readonly ThreadLocal<ThreadTrace> _thread;
    private readonly ThreadTrace _main = new();
    private readonly ConcurrentDictionary<string, ProgramHook> _hooks = new();
    private readonly ConcurrentDictionary<string, IDisposable> _handles = new();
    private readonly Dictionary<object, string> _paths = new(ReferenceEqualityComparer.Instance);
    private readonly Dictionary<string, object> _modules = [];

    internal ProgramSession(IWorld world, JsonElement tree)
    {
        World = world;
        Values = new(world, Find);
        _thread = new(() => _main);
        foreach (var (path, module) in world.Build(tree, this))
        {
            _modules[path] = module;
            _paths.TryAdd(module, path);
        }
    }

    internal IWorld World { get; }

    internal ProgramValues Values { get; }

    /// <summary>Gets the events of this thread.</summary>
    internal JsonArray Events => _thread.Value!.Events;

    public void Dispose() => _thread.Dispose();

    internal void Record(JsonObject happened) => Events.Add((JsonNode)happened);

    /// <summary>Records that a module's <c>forward</c> begins.</summary>
    internal void RecordEnter(object module, IEnumerable<object?> args, IReadOnlyCollection<KeyValuePair<string, object?>>? kwargs = null)
    {
        var happened = new JsonObject { ["event"] = "enter", ["module"] = Path(module), ["args"] = Values.WriteAll(args) };
        if (kwargs is { Count: > 0 }) happened["kwargs"] = Values.WriteAll(kwargs);
        Record(happened);
    }

    /// <summary>
    /// Records a warning if it is about a module of this run. Python replaces the message by its key in
    /// <c>hook_contract/contract/messages.toml</c>, or drops the event if the message has no key.
    /// </summary>
    internal void RecordWarning(object module, string message)
    {
        if (_paths.ContainsKey(module)) Record(new() { ["event"] = "warning", ["category"] = "UserWarning", ["message"] = message });
    }

    /// <summary>
    /// Runs the steps of a step <c>thread</c> on the current .NET thread and returns their events. Values that these steps save are visible
    /// only on this thread.
    /// </summary>
    internal JsonArray RunThread(Action work)
    {
        var trace = _thread.Value = new();
        work();
        return trace.Events;
    }

    /// <summary>Returns the first path of a module; <c>?</c> if the module is not in the tree.</summary>
    internal string Path(object module) => _paths.GetValueOrDefault(module, "?");

    /// <summary>Returns the module at a path.</summary>
    /// <exception cref="MissingMemberException">There is no such module.</exception>
    /// <exception cref="DefectException">The path begins with <c>@</c>: this interpreter has no copied roots.</exception>
    internal object Module(string path) =>
        _modules.TryGetValue(path, out var module) ? module
        : throw (path.StartsWith('@')
            ? new DefectException($"copied roots such as '{path}' are not supported")
            : new MissingMemberException($"no module '{path}'"));

    internal IDisposable Handle(string name) =>
        _handles.TryGetValue(name, out var handle) ? handle : throw new KeyNotFoundException(name);

    internal object?[] Args(JsonElement call) => call.Items("args").Select(Values.Make).ToArray();

    internal void Save(string name, object? value) => _thread.Value!.Names[name] = value;

    /// <summary>Resolves a name: a saved value, an item of a saved value, or a module's parameter or buffer (<c>a.weight</c>).</summary>
    internal object? Find(string name)
    {
        var parts = name.Split('.');
        if (_thread.Value!.Names.TryGetValue(parts[0], out var value) || _main.Names.TryGetValue(parts[0], out value))
            return parts[1..].Aggregate(value, ProgramValues.Item);
        return World.Attribute(Module(string.Join('.', parts[..^1])), parts[^1]);
    }

    internal void Register(JsonElement registration)
    {
        if (registration.Text("by") is { } by) throw new DefectException($"registration by '{by}' is not supported");
        var name = registration.NeedText("hook");
        var hook = _hooks.GetOrAdd(name, _ => new ProgramHook(registration, this));
        if (hook.IsForward != (registration.NeedText("kind") == "forward"))
            throw new InvalidCastException($"'{name}' was registered before, as a hook of another kind");
        var module = registration.Flag("global") ? null : Module(registration.Text("on") ?? "");
        _handles[registration.Text("handle") ?? name] =
            World.Register(module, hook, registration.Flag("prepend"), registration.Flag("always_call"));
    }

    internal void Read(JsonElement reading)
    {
        var (name, what) = (reading.Text("name") ?? "", reading.NeedText("what"));
        var value = what switch
        {
            "value" => Find(name),
            "device" => World.Device(Find(name)),
            _ => throw new DefectException($"unknown reading '{what}'"),
        };
        Record(new() { ["event"] = "read", ["name"] = name, ["what"] = what, ["value"] = Values.Write(value) });
    }

    /// <summary>The events and saved values of a thread.</summary>
    private sealed class ThreadTrace
    {
        internal JsonArray Events { get; } = [];

        internal Dictionary<string, object?> Names { get; } = [];
    }
}
