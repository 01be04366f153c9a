using System.Collections.Concurrent;
using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Hooks;

namespace Bridge.Conformance.Worlds;

/// <summary>Bridge.Hooks alone, over integers: no tensor, no libtorch.</summary>
internal sealed class HooksWorld : IWorld
{
    // Global hooks serve the whole process, so runs take turns.
    private static readonly object Turn = new();

    private readonly ConcurrentBag<IDisposable> _global = [];
    private Session? _session;

    internal HooksWorld()
    {
        Monitor.Enter(Turn);
        if (!GlobalHooks.IsEmpty)
        {
            Monitor.Exit(Turn);
            throw new Defect("global hooks are registered in this process, and would take part");
        }

        HookWarnings.Raised += Warned;
    }

    public void Dispose()
    {
        HookWarnings.Raised -= Warned;
        foreach (var handle in _global) handle.Dispose();
        Monitor.Exit(Turn);
    }

    public object Number(JsonElement value) => Integers.Read(value);

    public object Plain(JsonElement value) => new Plain(Integers.Read(value));

    public JsonNode? Write(object value) => value switch
    {
        long number => number,
        Plain plain => new JsonObject { ["plain"] = plain.Value },
        _ => null,
    };

    public object Plus(object? value, JsonElement n) => Integers.Plus(value, new Plain(Integers.Read(n)));

    public IEnumerable<(string Path, object Module)> Build(JsonElement tree, Session session)
    {
        _session = session;
        return IntegerModule.Build(tree, session).Places("");
    }

    public object? Call(object module, object?[] args) => ((IntegerModule)module).Call(args);

    public object? Forward(object module, object?[] args) => ((IntegerModule)module).Forward(args);

    public object Attribute(object module, string name) => ((IntegerModule)module).Constant(name);

    public IDisposable Register(object? module, Hook hook, bool prepend, bool alwaysCall)
    {
        var site = (module as IntegerModule)?.Hooks;
        var handle = hook.IsForward
            ? (site?.Forward ?? GlobalHooks.Forward).Add(After, prepend, alwaysCall)
            : (site?.Pre ?? GlobalHooks.Pre).Add(Before, prepend, alwaysCall);
        if (module is null) _global.Add(handle);
        return handle;

        void Before(object module, ref object?[] args) => args = hook.Pre(module, args)!; // null keeps them

        void After(object module, in object?[] args, ref object? output) => output = hook.Forward(module, args, output);
    }

    public long Id(IDisposable handle) => ((HookHandle)handle).Id;

    private void Warned(HookWarning warning) => _session?.Warned(warning.Module, warning.Message);
}
