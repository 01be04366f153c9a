using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Conformance.Mirrored;
using Bridge.Conformance.Modules;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Conformance.Worlds;

/// <summary>Runs hook programs on modules of Bridge.Torch that have no counterparts in Python, as in a C# program.</summary>
internal sealed class TorchWorld : IWorld, IProgramRecorder
{
    private readonly bool _typed;
    private readonly GlobalHookScope _globalHooks;
    private readonly TraceValueWriter _writer;
    private readonly DisposeScope _scope;
    private readonly Dictionary<object, (ChildCall? Call, ChildCall? Forward)> _childCalls = new(ReferenceEqualityComparer.Instance);
    private ProgramSession? _session;

    internal TorchWorld(bool typed, string device)
    {
        (_typed, Device) = (typed, new torch.Device(device));
        _writer = new(identity: false, Device);
        Numbers = new TensorNumbers(Device);
        _globalHooks = new(warning => _session?.RecordWarning(warning.Module, warning.Message));
        _scope = torch.NewDisposeScope(); // Created last: nothing would dispose it if the constructor threw.
    }

    public torch.Device Device { get; }

    public void Dispose()
    {
        _globalHooks.Dispose();
        _scope.Dispose();
    }

    public INumberFactory Numbers { get; }

    public JsonNode? Write(object value)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes)) _writer.Write(json, value);
        return JsonNode.Parse(bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
    }

    string IWorld.Device(object? value) =>
        value is torch.Tensor tensor
            ? TraceValueWriter.Device(tensor)
            : throw new MissingMemberException($"{value?.GetType().Name ?? "None"} has no 'device'");

    public object? Plus(object? value, JsonElement n) => Operand.Plus(value, Numbers.Plain(n));

    public IEnumerable<(string Path, object Module)> Build(JsonElement tree, ProgramSession session)
    {
        _session = session;
        try
        {
            return ModulesByPath("", new ModuleBuilder(this, _typed).Build(tree)).ToArray();
        }
        catch (NotSupportedException exception)
        {
            throw new ForbiddenException(exception.Message);
        }
    }

    public object? Call(object module, object?[] args) => Run(module, _childCalls[module].Call, args);

    public object? Forward(object module, object?[] args) => Run(module, _childCalls[module].Forward, args);

    public object Attribute(object module, string name) =>
        (object?)((torch.nn.Module)module).get_buffer(name) ?? ((torch.nn.Module)module).get_parameter(name)
        ?? throw new MissingMemberException($"{module.GetType().Name} has no '{name}'");

    public IDisposable Register(object? module, ProgramHook hook, bool prepend, bool alwaysCall)
    {
        if (module is torch.nn.Module target)
        {
            if (alwaysCall && !hook.IsForward) throw new ArgumentException("Pre hooks have no always_call (A-1).");
            return TypedHooks.Register(hook, target, !hook.IsForward, prepend, alwaysCall);
        }

        return hook.IsForward ? _globalHooks.Add(After, prepend, alwaysCall) : _globalHooks.Add(Before, prepend, alwaysCall);

        // Bridge.Torch passes a tuple to global hooks as an array. `Box` converts the array to the tuple, `Unpack` the tuple to an array.
        void Before(object module, ref object?[] args)
        {
            if (hook.Pre(module, Given(args)) is { } changed) args = changed.Select(Tuples.Unpack).ToArray();
        }

        void After(object module, in object?[] args, ref object? output) =>
            output = Tuples.Unpack(hook.Forward(module, Given(args), Tuples.Box(output)));
    }

    public long Id(IDisposable handle) => throw new DefectException("a HookRemover has no id");

    void IProgramRecorder.OnCreated(torch.nn.Module module) =>
        _childCalls[module] = (ChildCall.Create(module, byForward: false), ChildCall.Create(module, byForward: true));

    void IProgramRecorder.OnForward(
        torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs) =>
        _session!.RecordEnter(module, args, kwargs.Select(item => KeyValuePair.Create(item.Name, item.Value)).ToArray());

    void IProgramRecorder.Register(JsonElement registration) => _session!.Register(registration);

    // Removes trailing nulls, which stand for arguments that the caller left out, and converts arrays to tuples. A single argument is
    // kept even if it is null.
    private static object?[] Given(object?[] args)
    {
        var count = args.Length == 1 ? 1 : Array.FindLastIndex(args, item => item is not null) + 1;
        return args[..count].Select(Tuples.Box).ToArray();
    }

    private static object? Run(object module, ChildCall? call, object?[] args)
    {
        if (call is null) throw new NotSupportedException($"{module.GetType().Name} is missing the required \"forward\" function");
        ForwardParameter.Complete((torch.nn.Module)module, args); // Called only to refuse a wrong number of arguments.
        return call.Invoke(args);
    }

    private static IEnumerable<(string Path, object Module)> ModulesByPath(string path, torch.nn.Module module) =>
        module.named_children()
            .SelectMany(child => ModulesByPath(path.Length == 0 ? child.name : $"{path}.{child.name}", child.module))
            .Prepend((path, module));
}
