using System.Text.Json;
using Bridge.Conformance.Modules;
using Bridge.Hooks;

namespace Bridge.Conformance.Worlds;

/// <summary>A module of a hook program that computes with integers and runs on Bridge.Hooks alone.</summary>
/// <remarks>
/// The module classes in the folder Modules cannot be used, because they derive from <c>torch.nn.Module</c> and need libtorch.
/// </remarks>
internal abstract class IntegerModule(JsonElement node, ProgramSession session) : IHookTarget<object?[], object?>
{
    private readonly List<(string Name, IntegerModule Module)> _children = [];
    private HookSite<object?[], object?>? _site;

    /// <summary>Gets the module's hook registries, which are created at the first use.</summary>
    internal HookSite<object?[], object?> Hooks =>
        Volatile.Read(ref _site) ?? Interlocked.CompareExchange(ref _site, new(), null) ?? _site;

    HookSite<object?[], object?>? IHookTarget<object?[], object?>.Site => _site;

    protected JsonElement Node => node;

    protected IEnumerable<IntegerModule> Children => _children.Select(child => child.Module);

    protected ProgramSession Session => session;

    /// <summary>Builds the modules of a tree and returns the root. A module with two paths is one object.</summary>
    internal static IntegerModule Build(JsonElement tree, ProgramSession session)
    {
        var made = new Dictionary<string, IntegerModule>();
        return Build(tree, "");

        IntegerModule Build(JsonElement node, string path)
        {
            if (node.Text("same") is { } same)
                return made.GetValueOrDefault(same) ?? throw new DefectException($"no module at '{same}' before '{path}'");
            var module = made[path] = Create(node, session);
            foreach (var child in node.Items("children"))
            {
                var name = child.NeedText("name");
                module._children.Add((name, Build(child, Join(path, name))));
            }

            module.OnChildrenAdded();
            return module;
        }
    }

    /// <summary>Returns this module and its descendants by path.</summary>
    internal IEnumerable<(string Path, object Module)> ModulesByPath(string path) =>
        _children.SelectMany(child => child.Module.ModulesByPath(Join(path, child.Name))).Prepend((path, this));

    public abstract object? Forward(object?[] args);

    public object?[] Box(object?[] args) => [.. args];

    public object?[] Unbox(object?[] args) => args;

    public object? BoxResult(object? result) => result;

    public object? UnboxResult(object? result) => result;

    internal object? Call(object?[] args) => Dispatcher.Call<IntegerModule, object?[], object?>(this, _site, args);

    internal virtual void OnChildrenAdded()
    {
    }

    internal virtual object Constant(string name) => throw new MissingMemberException($"{GetType().Name} has no '{name}'");

    private static string Join(string path, string name) => path.Length == 0 ? name : $"{path}.{name}";

    private static IntegerModule Create(JsonElement node, ProgramSession session) => node.NeedText("kind") switch
    {
        "leaf" => new Leaf(node, session),
        "identity" => new Identity(node, session),
        "inputs" => new Inputs(node, session),
        "give" => new Give(node, session),
        "raise" => new Raise(node, session),
        "sequence" => new Composite(node, session, new SequenceFlow()),
        "parallel" => new Composite(node, session, new ParallelFlow(Integers.Plus)),
        "recurse" => new Recurse(node, session),
        "swallow" => new Composite(node, session, new SwallowFlow(), takes: 1),
        "register" => new Register(node, session),
        "opaque" => new Opaque(node, session),
        var kind => throw new DefectException($"unknown node kind '{kind}'"),
    };

    // Called before anything is recorded: Python refuses a wrong number of arguments before the body of `forward` runs.
    protected void CheckCount(object?[] args, int min, int max)
    {
        if (args.Length >= min && args.Length <= max) return;
        var expected = min == max ? $"{min}" : $"{min} to {max}";
        throw new InvalidCastException($"{GetType().Name} takes {expected} arguments, not {args.Length}");
    }
}

/// <summary>Computes <c>x * weight + bias</c>.</summary>
internal class Leaf(JsonElement node, ProgramSession session) : IntegerModule(node, session)
{
    private readonly long _weight = node.TryGetProperty("k", out var k) ? Integers.Read(k) : 2;
    private readonly long _bias = node.TryGetProperty("c", out var c) ? Integers.Read(c) : 1;

    public override object? Forward(object?[] args)
    {
        CheckCount(args, 1, 1);
        Session.RecordEnter(this, args);
        return Compute(args[0]);
    }

    internal object Scaled(object? x) => Integers.Times(x, _weight);

    internal object Compute(object? x) => Integers.Plus(Scaled(x), _bias);

    internal override object Constant(string name) => name switch
    {
        "weight" => _weight,
        "bias" => _bias,
        _ => base.Constant(name),
    };
}

internal sealed class Identity(JsonElement node, ProgramSession session) : IntegerModule(node, session)
{
    public override object? Forward(object?[] args)
    {
        CheckCount(args, 1, 1);
        Session.RecordEnter(this, args);
        return args[0];
    }
}

/// <summary>Computes the weighted sum of two or three arguments. The third is recorded as the keyword argument <c>c</c>.</summary>
internal sealed class Inputs(JsonElement node, ProgramSession session) : IntegerModule(node, session)
{
    public override object? Forward(object?[] args)
    {
        CheckCount(args, 2, 3);
        var c = args.Length > 2 ? args[2] : null;
        Session.RecordEnter(this, args[..2], c is null ? null : [KeyValuePair.Create("c", (object?)c)]);
        var result = Integers.Plus(Integers.Times(args[0], 1L), Integers.Times(args[1], 2L));
        return c is null ? result : Integers.Plus(result, Integers.Times(c, 4L));
    }

    internal override object Constant(string name) => name switch
    {
        "one" => 1L,
        "two" => 2L,
        "four" => 4L,
        _ => base.Constant(name),
    };
}

internal sealed class Give(JsonElement node, ProgramSession session) : Leaf(node, session)
{
    public override object? Forward(object?[] args)
    {
        CheckCount(args, 1, 1);
        Session.RecordEnter(this, args);
        object first = Compute(args[0]), second = Scaled(args[0]);
        return Node.NeedText("form") switch
        {
            "tuple" or "unused" => new ProgramTuple(first, second),
            "list" => new List<object?> { first, second },
            "dict" => new Dictionary<string, object?> { ["a"] = first, ["b"] = second },
            "nested" => new ProgramTuple(new ProgramTuple(first), second),
            "none" => null,
            "plain" => new PlainInteger(7),
            var form => throw new DefectException($"unknown form of a result '{form}'"),
        };
    }
}

internal sealed class Raise(JsonElement node, ProgramSession session) : IntegerModule(node, session)
{
    public override object? Forward(object?[] args)
    {
        Session.RecordEnter(this, args);
        throw Errors.Make(Node.Text("error") ?? "Error", Node.Text("message") ?? "boom");
    }
}

/// <summary>Calls itself recursively, <c>depth</c> levels deep; the innermost call computes like <see cref="Leaf"/>.</summary>
internal sealed class Recurse(JsonElement node, ProgramSession session) : Leaf(node, session)
{
    private readonly Depth _depth = new(node);

    public override object? Forward(object?[] args)
    {
        CheckCount(args, 1, 1);
        Session.RecordEnter(this, args);
        return _depth.Run(deeper => deeper ? Call(args) : Compute(args[0]));
    }
}

/// <summary>Registers a hook during its first <c>forward</c>, then computes like <see cref="Leaf"/>.</summary>
internal sealed class Register(JsonElement node, ProgramSession session) : Leaf(node, session)
{
    private int _done;

    public override object? Forward(object?[] args)
    {
        CheckCount(args, 1, 1);
        Session.RecordEnter(this, args);
        if (Interlocked.Exchange(ref _done, 1) == 0) Session.Register(Node.Need("register"));
        return Compute(args[0]);
    }
}
