using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Hooks;

namespace Bridge.Conformance.Worlds;

/// <summary>Bridge.Hooks alone, over integers: no tensor, no libtorch.</summary>
internal sealed class HooksWorld : IWorld
{
    private readonly ProcessHooks _process;
    private Session? _session;

    internal HooksWorld() => _process = new(warning => _session?.Warned(warning.Module, warning.Message));

    public void Dispose() => _process.Dispose();

    public INumbers Numbers { get; } = new IntegerNumbers();

    public JsonNode? Write(object value) => value switch
    {
        long number => number,
        Plain plain => new JsonObject { ["plain"] = plain.Value },
        _ => null,
    };

    public string Device(object? value) => throw new Defect("the device of an integer");

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
        return (module as IntegerModule)?.Hooks is { } site
            ? hook.IsForward ? site.Forward.Add(After, prepend, alwaysCall) : site.Pre.Add(Before, prepend, alwaysCall)
            : hook.IsForward ? _process.Add(After, prepend, alwaysCall) : _process.Add(Before, prepend, alwaysCall);

        void Before(object module, ref object?[] args) => args = hook.Pre(module, args)!; // null keeps them

        void After(object module, in object?[] args, ref object? output) => output = hook.Forward(module, args, output);
    }

    public long Id(IDisposable handle) => ((HookHandle)handle).Id;
}
