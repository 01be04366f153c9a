using System.Collections.Concurrent;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>One run of a program: its modules, its saved results, its hooks and handles, its events.</summary>
internal sealed class Session : IDisposable
{
    private readonly ThreadLocal<Strand> _here;
    private readonly Strand _main = new();
    private readonly ConcurrentDictionary<string, Hook> _hooks = new();
    private readonly ConcurrentDictionary<string, IDisposable> _handles = new();
    private readonly Dictionary<object, string> _paths = new(ReferenceEqualityComparer.Instance);
    private readonly Dictionary<string, object> _modules = [];

    internal Session(IWorld world, JsonElement tree)
    {
        World = world;
        Values = new(world, Find);
        _here = new(() => _main);
        foreach (var (path, module) in world.Build(tree, this))
        {
            _modules[path] = module;
            _paths.TryAdd(module, path);
        }
    }

    internal IWorld World { get; }

    internal Values Values { get; }

    /// <summary>The events of this thread so far.</summary>
    internal JsonArray Events => _here.Value!.Events;

    public void Dispose() => _here.Dispose();

    // What modules and hooks report.

    /// <summary>Appends an event to the trace of this thread.</summary>
    internal void Record(JsonObject happened) => Events.Add((JsonNode)happened);

    /// <summary>A module's own <c>forward</c> begins.</summary>
    internal void Entered(object module, IEnumerable<object?> args, IReadOnlyCollection<KeyValuePair<string, object?>>? kwargs = null)
    {
        var happened = new JsonObject { ["event"] = "enter", ["module"] = Path(module), ["args"] = Values.WriteAll(args) };
        if (kwargs is { Count: > 0 }) happened["kwargs"] = Values.WriteAll(kwargs);
        Record(happened);
    }

    /// <summary>A warning about a module of this run; one about another's is ignored. Python knows its key, or drops it.</summary>
    internal void Warned(object module, string message)
    {
        if (_paths.ContainsKey(module)) Record(new() { ["event"] = "warning", ["category"] = "UserWarning", ["message"] = message });
    }

    /// <summary>Runs something with events and names of its own, and gives the events: a thread of the program.</summary>
    internal JsonArray Apart(Action work)
    {
        var strand = _here.Value = new();
        work();
        return strand.Events;
    }

    // Names.

    /// <summary>The module path; the first one for a module in several places.</summary>
    internal string Path(object module) => _paths.GetValueOrDefault(module, "?");

    /// <summary>The module at a path.</summary>
    /// <exception cref="MissingMemberException">There is none.</exception>
    internal object Module(string path) =>
        _modules.TryGetValue(path, out var module) ? module
        : throw (path.StartsWith('@') ? new Defect($"a copied root '{path}'") : new MissingMemberException($"no module '{path}'"));

    internal IDisposable Handle(string name) => _handles.TryGetValue(name, out var handle) ? handle : throw new KeyNotFoundException(name);

    /// <summary>The arguments of a call.</summary>
    internal object?[] Args(JsonElement call) => call.Items("args").Select(Values.Make).ToArray();

    internal void Save(string name, object? value) => _here.Value!.Names[name] = value;

    /// <summary>What a name refers to: a saved value or an item of it, or a module's constant (<c>a.weight</c>).</summary>
    internal object? Find(string name)
    {
        var parts = name.Split('.');
        if (_here.Value!.Names.TryGetValue(parts[0], out var value) || _main.Names.TryGetValue(parts[0], out value))
            return parts[1..].Aggregate(value, Values.Item);
        return World.Attribute(Module(string.Join('.', parts[..^1])), parts[^1]);
    }

    // What steps and actions share.

    internal void Register(JsonElement registration)
    {
        if (registration.Text("by") is { } by) throw new Defect($"a registration by '{by}'");
        var name = registration.NeedText("hook");
        var hook = _hooks.GetOrAdd(name, _ => new Hook(registration, this));
        if (hook.IsForward != (registration.NeedText("kind") == "forward"))
            throw new InvalidCastException($"'{name}' is a hook of the other kind");
        var module = registration.Flag("global") ? null : Module(registration.Text("on") ?? "");
        _handles[registration.Text("handle") ?? name] = World.Register(module, hook, registration.Flag("prepend"), registration.Flag("always_call"));
    }

    internal void Read(JsonElement reading)
    {
        var (name, what) = (reading.Text("name") ?? "", reading.NeedText("what"));
        var value = what switch
        {
            "value" => Find(name),
            "device" => World.Device(Find(name)),
            _ => throw new Defect($"reading '{what}'"),
        };
        Record(new() { ["event"] = "read", ["name"] = name, ["what"] = what, ["value"] = Values.Write(value) });
    }

    /// <summary>The events and the names of one thread.</summary>
    private sealed class Strand
    {
        internal JsonArray Events { get; } = [];

        internal Dictionary<string, object?> Names { get; } = [];
    }
}
