using System.Reflection;
using System.Text.Json;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>Builds the modules of a hook program's tree, as a TorchSharp user would write them.</summary>
/// <param name="recorder">Records the calls of <c>forward</c>.</param>
/// <param name="typed">
/// Whether modules have static types, such as <c>Module&lt;Tensor, Tensor&gt;</c>, instead of <c>Module&lt;object, object&gt;</c>.
/// </param>
public sealed class ModuleBuilder(IProgramRecorder recorder, bool typed)
{
    private readonly Dictionary<string, nn.Module> _byPath = [];

    /// <summary>Builds the modules of a tree and returns the root.</summary>
    /// <exception cref="NotSupportedException">The tree does not fit C#'s static types (F-2), or has an unknown kind.</exception>
    public nn.Module Build(JsonElement tree) => BuildModule(tree, "", typed ? typeof(Tensor) : typeof(object), typed);

    // `input` is the type of the argument that the module will get.
    private nn.Module BuildModule(JsonElement json, string path, Type input, bool typed)
    {
        if (json.TryGetProperty("same", out var same)) return _byPath[same.GetString()!];
        var node = new ProgramNode(recorder, json);
        var children = json.TryGetProperty("children", out var list) ? list.EnumerateArray().ToArray() : [];
        var kind = json.GetProperty("kind").GetString()!;
        // A Sequential takes only modules from a tensor to a tensor, even if the other modules of the tree declare object.
        if (kind is "sequential") (typed, input) = (true, input == typeof(object) ? typeof(Tensor) : input);
        var anyType = kind is "identity" or "raise" or "sequence" or "parallel" or "swallow" or "modulelist";
        if (typed && !anyType) RequireType(kind, input, typeof(Tensor));
        var modules = new List<(string Name, nn.Module Module)>();
        var type = input;
        foreach (var child in children)
        {
            var name = child.GetProperty("name").GetString()!;
            var made = BuildModule(child, path.Length == 0 ? name : $"{path}.{name}", type, typed);
            modules.Add((name, made));
            if (typed && kind is ("sequence" or "sequential") && Signature.Types(made.GetType()) is { } signature)
                type = signature[^1];
        }

        var module = kind is "sequential"
            ? CreateSequential(modules)
            : CreateLeaf(kind, node, input, typed) ?? CreateComposite(kind, node, modules, input);
        _byPath[path] = module;
        if (kind is not "sequential")
            foreach (var (name, child) in modules) module.register_module(name, child);
        recorder.OnCreated(module);
        return module;
    }

    private static nn.Module? CreateLeaf(string kind, ProgramNode node, Type input, bool typed) => (kind, typed) switch
    {
        ("identity", _) => CreateGeneric(typeof(Identity<>), [input], node),
        ("raise", _) => CreateGeneric(typeof(Raise<,>), [input, typed ? typeof(Tensor) : typeof(object)], node),
        ("give", false) => new GiveOfObject(node),
        ("leaf", _) => typed ? new Leaf<Tensor>(node) : new Leaf<object?>(node),
        ("detach", _) => typed ? new Detach<Tensor>(node) : new Detach<object?>(node),
        ("register", _) => typed ? new Register<Tensor>(node) : new Register<object?>(node),
        ("recurse", _) => typed ? new Recurse<Tensor>(node) : new Recurse<object?>(node),
        ("inputs", _) => typed ? new Inputs<Tensor>(node) : new Inputs<object?>(node),
        ("keyword", _) => typed ? new Keyword<Tensor>(node) : new Keyword<object?>(node),
        ("give", true) => CreateGive(node),
        _ => node.Recorder.CreateSpecial(kind, node, typed),
    };

    private static nn.Module CreateGive(ProgramNode node) => node.Text("form", "plain") switch
    {
        "tuple" => new GiveTuple(node),
        "list" => new GiveList(node),
        "dict" => new GiveDict(node),
        "nested" => new GiveNested(node),
        "unused" => new GiveUnused(node),
        "none" => new GiveNone(node),
        _ => new GivePlain(node),
    };

    private static nn.Module CreateComposite(string kind, ProgramNode node, List<(string Name, nn.Module Module)> modules, Type input)
    {
        if (kind is "modulelist") return nn.ModuleList();
        if (kind is "opaque")
        {
            var child = (ILeaf)modules[0].Module;
            return input == typeof(object) ? new Opaque<object?>(node, child) : new Opaque<Tensor>(node, child);
        }

        Flow flow = kind switch
        {
            "sequence" => new SequenceFlow(),
            "parallel" => new ParallelFlow(Operand.Plus),
            "swallow" => new SwallowFlow(),
            _ => throw new NotSupportedException($"C# has no module of the kind '{kind}'."),
        };
        flow.Children = modules.Select(item => ChildCall.Create(item.Module, node.Text("by", "call") == "forward")
            ?? throw new NotSupportedException($"'{item.Name}' cannot be called.")).ToArray();
        var first = Signature.Types(modules[0].Module.GetType())!;
        var last = Signature.Types(modules[^1].Module.GetType())!;
        // A composite that gets an object declares object, even if a Sequential among its children declares tensors.
        var untyped = input == typeof(object);
        Type[] types = untyped ? Enumerable.Repeat(typeof(object), first.Length).ToArray() : [.. first[..^1], last[^1]];
        if (!untyped && kind is "swallow") RequireType(kind, types[^1], types[0]);
        if (!untyped && kind is "parallel" && modules.Count > 1)
            foreach (var item in modules) RequireType(kind, Signature.Types(item.Module.GetType())![^1], typeof(Tensor));
        return CreateGeneric(types.Length == 2 ? typeof(Composite<,>) : typeof(Composite<,,,>), types, node, flow);
    }

    private static nn.Module CreateSequential(List<(string Name, nn.Module Module)> modules)
    {
        foreach (var (_, module) in modules)
            if (module is not Module<Tensor, Tensor>)
                throw new NotSupportedException("F-2: a Sequential takes modules from a tensor to a tensor.");
        return nn.Sequential(modules.Select(item => (item.Name, (Module<Tensor, Tensor>)item.Module)));
    }

    private static nn.Module CreateGeneric(Type open, Type[] types, params object[] arguments)
    {
        const BindingFlags constructors = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        return (nn.Module)Activator.CreateInstance(open.MakeGenericType(types), constructors, null, arguments, null)!;
    }

    private static void RequireType(string kind, Type given, Type declared)
    {
        if (given == declared) return;
        throw new NotSupportedException($"F-2: '{kind}' declares {declared.Name}, but {given.Name} would be given.");
    }
}
