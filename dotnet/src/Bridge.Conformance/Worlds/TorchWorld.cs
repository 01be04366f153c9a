using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Conformance.Mirrored;
using Bridge.Conformance.Modules;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Conformance.Worlds;

/// <summary>Bridge.Torch as a C# program uses it, with no mirror: modules with types, or over <c>object</c>.</summary>
internal sealed class TorchWorld : IWorld, IRecorder
{
    private readonly bool _typed;
    private readonly ProcessHooks _process;
    private readonly Writer _writer;
    private readonly DisposeScope _scope;
    private readonly Dictionary<object, (Child? Call, Child? Forward)> _ways = new(ReferenceEqualityComparer.Instance);
    private Session? _session;

    internal TorchWorld(bool typed, string device)
    {
        (_typed, Device) = (typed, new torch.Device(device));
        _writer = new(identity: false, Device);
        Numbers = new Tensors(Device);
        _process = new(warning => _session?.Warned(warning.Module, warning.Message));
        _scope = torch.NewDisposeScope(); // last: nothing would end it if the world were refused
    }

    public torch.Device Device { get; }

    public void Dispose()
    {
        _process.Dispose();
        _scope.Dispose();
    }

    public INumbers Numbers { get; }

    public JsonNode? Write(object value)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes)) _writer.Write(json, value);
        return JsonNode.Parse(bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
    }

    string IWorld.Device(object? value) =>
        value is torch.Tensor tensor ? Writer.Device(tensor) : throw new MissingMemberException($"{value?.GetType().Name ?? "None"} has no 'device'");

    public object? Plus(object? value, JsonElement n) => Operand.Plus(value, Numbers.Plain(n));

    public IEnumerable<(string Path, object Module)> Build(JsonElement tree, Session session)
    {
        _session = session;
        try
        {
            return Places("", new Trees(this, _typed).Build(tree)).ToArray();
        }
        catch (NotSupportedException exception)
        {
            throw new Forbidden(exception.Message);
        }
    }

    public object? Call(object module, object?[] args) => Run(module, _ways[module].Call, args);

    public object? Forward(object module, object?[] args) => Run(module, _ways[module].Forward, args);

    public object Attribute(object module, string name) =>
        (object?)((torch.nn.Module)module).get_buffer(name) ?? ((torch.nn.Module)module).get_parameter(name)
        ?? throw new MissingMemberException($"{module.GetType().Name} has no '{name}'");

    public IDisposable Register(object? module, Hook hook, bool prepend, bool alwaysCall)
    {
        if (module is torch.nn.Module target)
        {
            if (alwaysCall && !hook.IsForward) throw new ArgumentException("Pre hooks have no always_call (A-1)."); // nor has the method
            return Placing.Place(hook, target, !hook.IsForward, prepend, alwaysCall);
        }

        return hook.IsForward ? _process.Add(After, prepend, alwaysCall) : _process.Add(Before, prepend, alwaysCall);

        // Global hooks see every module alike: a tuple is an array there.
        void Before(object module, ref object?[] args)
        {
            if (hook.Pre(module, Given(args)) is { } changed) args = changed.Select(Tuples.Unpack).ToArray();
        }

        void After(object module, in object?[] args, ref object? output) =>
            output = Tuples.Unpack(hook.Forward(module, Given(args), Tuples.Box(output)));
    }

    public long Id(IDisposable handle) => throw new Defect("a HookRemover has no id");

    void IRecorder.Made(torch.nn.Module module) => _ways[module] = (Child.Of(module, byForward: false), Child.Of(module, byForward: true));

    void IRecorder.Entered(torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs) =>
        _session!.Entered(module, args, kwargs.Select(item => KeyValuePair.Create(item.Name, item.Value)).ToArray());

    void IRecorder.Register(JsonElement registration) => _session!.Register(registration);

    // Of several arguments, what was left out at the end is not passed.
    private static object?[] Given(object?[] args)
    {
        var count = args.Length == 1 ? 1 : Array.FindLastIndex(args, item => item is not null) + 1;
        return args[..count].Select(Tuples.Box).ToArray();
    }

    private static object? Run(object module, Child? way, object?[] args)
    {
        if (way is null) throw new NotSupportedException($"{module.GetType().Name} is missing the required \"forward\" function");
        ForwardParameter.Complete((torch.nn.Module)module, args); // refuses a wrong number, which C# would not compile
        return way.Run(args);
    }

    private static IEnumerable<(string Path, object Module)> Places(string path, torch.nn.Module module) =>
        module.named_children().SelectMany(child => Places(path.Length == 0 ? child.name : $"{path}.{child.name}", child.module)).Prepend((path, module));
}
