using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Conformance.Modules;
using TorchSharp;

namespace Bridge.Conformance.Worlds;

/// <summary>Runs hook programs on TorchSharp: creates and calls modules. A derived class registers the hooks.</summary>
internal abstract class TorchSharpWorld(bool typed) : IWorld, IProgramRecorder
{
    private static readonly torch.Device Cpu = new("cpu");
    private readonly Dictionary<object, (ChildCall? Call, ChildCall? Forward)> _childCalls = new(ReferenceEqualityComparer.Instance);

    public torch.Device Device => Cpu;

    public INumberFactory Numbers { get; } = new TensorNumbers(Cpu);

    protected ProgramSession Session { get; private set; } = null!;

    public virtual void Dispose()
    {
    }

    public JsonNode? Write(object value) => value switch
    {
        torch.Tensor tensor => Number(tensor),
        bool truth => new JsonObject { ["plain"] = truth },
        long integer => new JsonObject { ["plain"] = integer },
        double real => new JsonObject { ["plain"] = real },
        _ => null,
    };

    string IWorld.Device(object? value) => value is torch.Tensor tensor
        ? tensor.device_type.ToString().ToLowerInvariant()
        : throw new MissingMemberException($"{value?.GetType().Name ?? "None"} has no 'device'");

    public object? Plus(object? value, JsonElement n) => Operand.Plus(value, Numbers.Plain(n));

    public IEnumerable<(string Path, object Module)> Build(JsonElement tree, ProgramSession session)
    {
        Session = session;
        torch.nn.Module root;
        try
        {
            root = new ModuleBuilder(this, typed).Build(tree);
        }
        catch (NotSupportedException exception)
        {
            throw new ForbiddenException(exception.Message);
        }

        OnBuilt(root);
        return ModulesByPath("", root).ToArray();
    }

    public virtual object? Call(object module, object?[] args) => Run(module, _childCalls[module].Call, args);

    public virtual object? Forward(object module, object?[] args) => Run(module, _childCalls[module].Forward, args);

    public object Attribute(object module, string name)
    {
        var owner = (torch.nn.Module)module;
        var buffers = owner.named_buffers(recurse: false).Where(item => item.name == name).Select(item => item.buffer);
        var parameters = owner.named_parameters(recurse: false).Where(item => item.name == name).Select(item => item.parameter);
        return buffers.Concat(parameters).FirstOrDefault()
            ?? throw new MissingMemberException($"{module.GetType().Name} has no '{name}'");
    }

    public abstract IDisposable Register(object? module, ProgramHook hook, bool prepend, bool alwaysCall);

    public abstract long Id(IDisposable handle);

    torch.nn.Module? IProgramRecorder.CreateSpecial(string kind, ProgramNode node, bool typed) =>
        kind != "encoder" ? null : typed ? new Encoder<torch.Tensor>() : new Encoder<object?>();

    void IProgramRecorder.OnCreated(torch.nn.Module module) =>
        _childCalls[module] = (ChildCall.Create(module, byForward: false), ChildCall.Create(module, byForward: true));

    void IProgramRecorder.OnForward(torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs)
    {
        OnForward(module, [.. args, .. kwargs.Select(item => item.Value)]);
        Session.RecordEnter(module, args, kwargs.Select(item => KeyValuePair.Create(item.Name, item.Value)).ToArray());
    }

    void IProgramRecorder.Register(JsonElement registration) => Session.Register(registration);

    /// <summary>Called when the modules have been built.</summary>
    protected virtual void OnBuilt(torch.nn.Module root)
    {
    }

    /// <summary>Called when a <c>forward</c> begins.</summary>
    protected virtual void OnForward(object module, object?[] args)
    {
    }

    private static object? Run(object module, ChildCall? call, object?[] args) =>
        call is not null
            ? call.Invoke(args)
            : throw new NotSupportedException($"{module.GetType().Name} is missing the required \"forward\" function");

    private static JsonNode Number(torch.Tensor tensor)
    {
        if (tensor.numel() != 1 || tensor.dtype != torch.float64)
            throw new DefectException("only tensors of float64 with one element are supported");
        var number = MemoryMarshal.Read<double>(tensor.bytes);
        return double.IsFinite(number)
            ? JsonValue.Create(number)
            : throw new DefectException($"a tensor with the element {number} is not supported");
    }

    private static IEnumerable<(string Path, object Module)> ModulesByPath(string path, torch.nn.Module module) =>
        module.named_children()
            .SelectMany(child => ModulesByPath(path.Length == 0 ? child.name : $"{path}.{child.name}", child.module))
            .Prepend((path, module));

    private sealed class TensorNumbers(torch.Device device) : INumberFactory
    {
        public object Number(JsonElement value) => torch.tensor([value.GetDouble()], torch.float64, device);

        public object Plain(JsonElement value) => value.TryGetInt64(out var integer) ? integer : value.GetDouble();

        public object Vector(JsonElement value) => throw new DefectException("unknown value 'vector'");
    }
}
