using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Hooks;

namespace Bridge.Conformance.Worlds;

/// <summary>Runs hook programs on Bridge.Hooks alone, with integers: no tensors and no libtorch.</summary>
internal sealed class HooksWorld : IWorld
{
    private readonly GlobalHookScope _globalHooks;
    private ProgramSession? _session;

    internal HooksWorld() => _globalHooks = new(warning => _session?.RecordWarning(warning.Module, warning.Message));

    public void Dispose() => _globalHooks.Dispose();

    public INumberFactory Numbers { get; } = new IntegerNumbers();

    public JsonNode? Write(object value) => value switch
    {
        long number => number,
        PlainInteger plain => new JsonObject { ["plain"] = plain.Value },
        _ => null,
    };

    public string Device(object? value) => throw new DefectException("an integer has no device");

    public object Plus(object? value, JsonElement n) => Integers.Plus(value, new PlainInteger(Integers.Read(n)));

    public IEnumerable<(string Path, object Module)> Build(JsonElement tree, ProgramSession session)
    {
        _session = session;
        return IntegerModule.Build(tree, session).ModulesByPath("");
    }

    public object? Call(object module, object?[] args) => ((IntegerModule)module).Call(args);

    public object? Forward(object module, object?[] args) => ((IntegerModule)module).Forward(args);

    public object Attribute(object module, string name) => ((IntegerModule)module).Constant(name);

    public IDisposable Register(object? module, ProgramHook hook, bool prepend, bool alwaysCall)
    {
        return (module as IntegerModule)?.Hooks is { } site
            ? hook.IsForward ? site.Forward.Add(After, prepend, alwaysCall) : site.Pre.Add(Before, prepend, alwaysCall)
            : hook.IsForward ? _globalHooks.Add(After, prepend, alwaysCall) : _globalHooks.Add(Before, prepend, alwaysCall);

        void Before(object module, ref object?[] args) => args = hook.Pre(module, args)!; // Null keeps the arguments.

        void After(object module, in object?[] args, ref object? output) => output = hook.Forward(module, args, output);
    }

    public long Id(IDisposable handle) => ((HookHandle)handle).Id;
}
