using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Conformance.Modules;
using TorchSharp;

namespace Bridge.Conformance.Worlds;

/// <summary>TorchSharp's modules and tensors, whichever hooks are on them.</summary>
internal abstract class TorchSharpWorld(bool typed) : IWorld, IRecorder
{
    private static readonly torch.Device Cpu = new("cpu");
    private readonly Dictionary<object, (Child? Call, Child? Forward)> _ways = new(ReferenceEqualityComparer.Instance);

    public torch.Device Device => Cpu;

    public INumbers Numbers { get; } = new TensorNumbers(Cpu);

    protected Session Session { get; private set; } = null!;

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

    public IEnumerable<(string Path, object Module)> Build(JsonElement tree, Session session)
    {
        Session = session;
        torch.nn.Module root;
        try
        {
            root = new Trees(this, typed).Build(tree);
        }
        catch (NotSupportedException exception)
        {
            throw new Forbidden(exception.Message);
        }

        Built(root);
        return Places("", root).ToArray();
    }

    public virtual object? Call(object module, object?[] args) => Run(module, _ways[module].Call, args);

    public virtual object? Forward(object module, object?[] args) => Run(module, _ways[module].Forward, args);

    public object Attribute(object module, string name)
    {
        var asked = (torch.nn.Module)module;
        return asked.named_buffers(recurse: false).Where(found => found.name == name).Select(found => found.buffer)
            .Concat(asked.named_parameters(recurse: false).Where(found => found.name == name).Select(found => found.parameter))
            .FirstOrDefault() ?? throw new MissingMemberException($"{module.GetType().Name} has no '{name}'");
    }

    public abstract IDisposable Register(object? module, Hook hook, bool prepend, bool alwaysCall);

    public abstract long Id(IDisposable handle);

    torch.nn.Module? IRecorder.Own(string kind, Part part, bool typed) => kind != "encoder" ? null : typed ? new Encoder<torch.Tensor>() : new Encoder<object?>();

    void IRecorder.Made(torch.nn.Module module) => _ways[module] = (Child.Of(module, byForward: false), Child.Of(module, byForward: true));

    void IRecorder.Entered(torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs)
    {
        Entered(module, [.. args, .. kwargs.Select(item => item.Value)]);
        Session.Entered(module, args, kwargs.Select(item => KeyValuePair.Create(item.Name, item.Value)).ToArray());
    }

    void IRecorder.Register(JsonElement registration) => Session.Register(registration);

    /// <summary>The modules are there.</summary>
    protected virtual void Built(torch.nn.Module root)
    {
    }

    /// <summary>A <c>forward</c> begins.</summary>
    protected virtual void Entered(object module, object?[] args)
    {
    }

    private static object? Run(object module, Child? way, object?[] args) =>
        way is not null ? way.Run(args) : throw new NotSupportedException($"{module.GetType().Name} is missing the required \"forward\" function");

    private static JsonNode Number(torch.Tensor tensor)
    {
        if (tensor.numel() != 1 || tensor.dtype != torch.float64) throw new Defect("a tensor that is not one element of float64");
        var number = MemoryMarshal.Read<double>(tensor.bytes);
        return double.IsFinite(number) ? JsonValue.Create(number) : throw new Defect($"a number {number}");
    }

    private static IEnumerable<(string Path, object Module)> Places(string path, torch.nn.Module module) =>
        module.named_children().SelectMany(child => Places(path.Length == 0 ? child.name : $"{path}.{child.name}", child.module)).Prepend((path, module));

    private sealed class TensorNumbers(torch.Device device) : INumbers
    {
        public object Number(JsonElement value) => torch.tensor([value.GetDouble()], torch.float64, device);

        public object Plain(JsonElement value) => value.TryGetInt64(out var integer) ? integer : value.GetDouble();

        public object Vector(JsonElement value) => throw new Defect("a value 'vector'");
    }
}
