using System.Text.Json;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>The nodes of a program's tree as modules, as a TorchSharp user writes them: with types, or over <c>object</c>.</summary>
/// <param name="recorder">Records what they do.</param>
/// <param name="typed">With types.</param>
public sealed class Trees(IRecorder recorder, bool typed)
{
    private readonly Dictionary<string, nn.Module> _made = [];

    /// <summary>Makes the modules of a tree.</summary>
    /// <exception cref="NotSupportedException">The tree cannot be built with types (F-2).</exception>
    public nn.Module Build(JsonElement tree) => Make(tree, "", typed ? typeof(Tensor) : typeof(object), typed);

    // `input` is the type of the value that will reach the module.
    private nn.Module Make(JsonElement node, string path, Type input, bool typed)
    {
        if (node.TryGetProperty("same", out var same)) return _made[same.GetString()!];
        var part = new Part(recorder, node);
        var children = node.TryGetProperty("children", out var list) ? list.EnumerateArray().ToArray() : [];
        var kind = node.GetProperty("kind").GetString()!;
        // Bridge.Torch's Sequential takes modules from a tensor to a tensor, wherever it is.
        if (kind is "sequential") (typed, input) = (true, input == typeof(object) ? typeof(Tensor) : input);
        if (typed && kind is not ("identity" or "raise" or "sequence" or "parallel" or "swallow" or "modulelist")) Fits(kind, input, typeof(Tensor));
        var modules = new List<(string Name, nn.Module Module)>();
        var type = input;
        foreach (var child in children)
        {
            var name = child.GetProperty("name").GetString()!;
            var made = Make(child, path.Length == 0 ? name : $"{path}.{name}", type, typed);
            modules.Add((name, made));
            if (typed && kind is ("sequence" or "sequential") && Signature.Arguments(made.GetType()) is { } signature) type = signature[^1];
        }

        var module = _made[path] = kind is "sequential" ? Sequential(modules) : Simple(kind, part, input, typed) ?? Composite(kind, part, modules, input);
        if (kind is not "sequential")
            foreach (var (name, child) in modules) module.register_module(name, child);
        recorder.Made(module);
        return module;
    }

    private static nn.Module? Simple(string kind, Part part, Type input, bool typed) => (kind, typed) switch
    {
        ("identity", _) => Generic(typeof(Identity<>), [input], part),
        ("raise", _) => Generic(typeof(Raise<,>), [input, typed ? typeof(Tensor) : typeof(object)], part),
        ("give", false) => new GiveOfObject(part),
        ("leaf", _) => typed ? new Leaf<Tensor>(part) : new Leaf<object?>(part),
        ("detach", _) => typed ? new Detach<Tensor>(part) : new Detach<object?>(part),
        ("register", _) => typed ? new Register<Tensor>(part) : new Register<object?>(part),
        ("recurse", _) => typed ? new Recurse<Tensor>(part) : new Recurse<object?>(part),
        ("inputs", _) => typed ? new Inputs<Tensor>(part) : new Inputs<object?>(part),
        ("keyword", _) => typed ? new Keyword<Tensor>(part) : new Keyword<object?>(part),
        ("give", true) => Give(part),
        _ => part.Recorder.Own(kind, part, typed),
    };

    private static nn.Module Give(Part part) => part.Text("form", "plain") switch
    {
        "tuple" => new GiveTuple(part),
        "list" => new GiveList(part),
        "dict" => new GiveDict(part),
        "nested" => new GiveNested(part),
        "unused" => new GiveUnused(part),
        "none" => new GiveNone(part),
        _ => new GivePlain(part),
    };

    private static nn.Module Composite(string kind, Part part, List<(string Name, nn.Module Module)> modules, Type input)
    {
        if (kind is "modulelist") return nn.ModuleList();
        if (kind is "opaque")
        {
            var child = (ILeaf)modules[0].Module;
            return input == typeof(object) ? new Opaque<object?>(part, child) : new Opaque<Tensor>(part, child);
        }

        Flow flow = kind switch
        {
            "sequence" => new InSequence(),
            "parallel" => new InParallel(Operand.Plus),
            "swallow" => new Swallowing(),
            _ => throw new NotSupportedException($"Bridge.Torch has no module of the kind '{kind}'."),
        };
        flow.Children = modules.Select(item => Child.Of(item.Module, part.Text("by", "call") == "forward")
            ?? throw new NotSupportedException($"'{item.Name}' cannot be called.")).ToArray();
        var first = Signature.Arguments(modules[0].Module.GetType())!;
        var last = Signature.Arguments(modules[^1].Module.GetType())!;
        // Over object all is object, whatever a Sequential inside declares.
        var untyped = input == typeof(object);
        Type[] types = untyped ? Enumerable.Repeat(typeof(object), first.Length).ToArray() : [.. first[..^1], last[^1]];
        if (!untyped && kind is "swallow") Fits(kind, types[^1], types[0]);
        if (!untyped && kind is "parallel" && modules.Count > 1)
            foreach (var item in modules) Fits(kind, Signature.Arguments(item.Module.GetType())![^1], typeof(Tensor));
        return Generic(types.Length == 2 ? typeof(Composite<,>) : typeof(Composite<,,,>), types, part, flow);
    }

    private static nn.Module Sequential(List<(string Name, nn.Module Module)> modules)
    {
        foreach (var (_, module) in modules)
            if (module is not Module<Tensor, Tensor>) throw new NotSupportedException("F-2: a Sequential takes modules from a tensor to a tensor.");
        return nn.Sequential(modules.Select(item => (item.Name, (Module<Tensor, Tensor>)item.Module)));
    }

    private static nn.Module Generic(Type open, Type[] types, params object[] arguments) =>
        (nn.Module)Activator.CreateInstance(open.MakeGenericType(types), System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic, null, arguments, null)!;

    private static void Fits(string kind, Type given, Type declared)
    {
        if (given != declared) throw new NotSupportedException($"F-2: '{kind}' declares {declared.Name}, and {given.Name} would be there.");
    }
}
