using System.Text.Json;
using Bridge.Conformance.Modules;
using Bridge.Hooks;

namespace Bridge.Conformance.Worlds;

/// <summary>A node of a program's tree as a target of Bridge.Hooks: arguments in an array, as results anything.</summary>
/// <remarks>
/// How children are run (<see cref="Flow"/>) is shared with the modules over tensors. The leaves are not: those derive from <c>torch.nn.Module</c>, with the
/// types and registered fields that a TorchSharp user writes, which is what they test, and these run where there is no libtorch.
/// </remarks>
internal abstract class IntegerModule(JsonElement node, Session session) : IHookTarget<object?[], object?>
{
    private readonly List<(string Name, IntegerModule Module)> _children = [];
    private HookSite<object?[], object?>? _site;

    /// <summary>The module's hooks, made by the first look.</summary>
    internal HookSite<object?[], object?> Hooks =>
        Volatile.Read(ref _site) ?? Interlocked.CompareExchange(ref _site, new(), null) ?? _site;

    HookSite<object?[], object?>? IHookTarget<object?[], object?>.Site => _site;

    protected JsonElement Node => node;

    protected IEnumerable<IntegerModule> Children => _children.Select(child => child.Module);

    protected Session Session => session;

    /// <summary>The module of a tree's root, with its children. A module that is in two places is one object.</summary>
    internal static IntegerModule Build(JsonElement tree, Session session)
    {
        var made = new Dictionary<string, IntegerModule>();
        return Build(tree, "");

        IntegerModule Build(JsonElement node, string path)
        {
            if (node.Text("same") is { } same) return made.GetValueOrDefault(same) ?? throw new Defect($"no module at '{same}' before '{path}'");
            var module = made[path] = Make(node, session);
            foreach (var child in node.Items("children"))
            {
                var name = child.NeedText("name");
                module._children.Add((name, Build(child, Join(path, name))));
            }

            module.Completed();
            return module;
        }
    }

    /// <summary>This module and all below it by their paths.</summary>
    internal IEnumerable<(string Path, object Module)> Places(string path) =>
        _children.SelectMany(child => child.Module.Places(Join(path, child.Name))).Prepend((path, this));

    public abstract object? Forward(object?[] args);

    public object?[] Box(object?[] args) => [.. args];

    public object?[] Unbox(object?[] args) => args;

    public object? BoxResult(object? result) => result;

    public object? UnboxResult(object? result) => result;

    /// <summary>The module call.</summary>
    internal object? Call(object?[] args) => Dispatcher.Call<IntegerModule, object?[], object?>(this, _site, args);

    /// <summary>All children are there.</summary>
    internal virtual void Completed()
    {
    }

    /// <summary>A constant by its name.</summary>
    internal virtual object Constant(string name) => throw new MissingMemberException($"{GetType().Name} has no '{name}'");

    private static string Join(string path, string name) => path.Length == 0 ? name : $"{path}.{name}";

    private static IntegerModule Make(JsonElement node, Session session) => node.NeedText("kind") switch
    {
        "leaf" => new Leaf(node, session),
        "identity" => new Identity(node, session),
        "inputs" => new Inputs(node, session),
        "give" => new Give(node, session),
        "raise" => new Raise(node, session),
        "sequence" => new Composite(node, session, new InSequence()),
        "parallel" => new Composite(node, session, new InParallel(Integers.Plus)),
        "recurse" => new Recurse(node, session),
        "swallow" => new Composite(node, session, new Swallowing(), takes: 1),
        "register" => new Register(node, session),
        "opaque" => new Opaque(node, session),
        var kind => throw new Defect($"a node of kind '{kind}'"),
    };

    // A forward with a fixed number of parameters: Python refuses others before the first line of it runs.
    protected void Expect(object?[] args, int least, int most)
    {
        if (args.Length < least || args.Length > most) throw new InvalidCastException($"{GetType().Name} takes {least} arguments, not {args.Length}");
    }
}

/// <summary><c>x * weight + bias</c>.</summary>
internal class Leaf(JsonElement node, Session session) : IntegerModule(node, session)
{
    private readonly long _weight = node.TryGetProperty("k", out var k) ? Integers.Read(k) : 2;
    private readonly long _bias = node.TryGetProperty("c", out var c) ? Integers.Read(c) : 1;

    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
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

internal sealed class Identity(JsonElement node, Session session) : IntegerModule(node, session)
{
    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        return args[0];
    }
}

/// <summary><c>forward(a, b, c=None)</c>; <c>c</c> is noted by its name, however it came.</summary>
internal sealed class Inputs(JsonElement node, Session session) : IntegerModule(node, session)
{
    public override object? Forward(object?[] args)
    {
        Expect(args, 2, 3);
        var c = args.Length > 2 ? args[2] : null;
        Session.Entered(this, args[..2], c is null ? null : [KeyValuePair.Create("c", (object?)c)]);
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

internal sealed class Give(JsonElement node, Session session) : Leaf(node, session)
{
    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        object first = Compute(args[0]), second = Scaled(args[0]);
        return Node.NeedText("form") switch
        {
            "tuple" or "unused" => new TupleOf(first, second),
            "list" => new List<object?> { first, second },
            "dict" => new Dictionary<string, object?> { ["a"] = first, ["b"] = second },
            "nested" => new TupleOf(new TupleOf(first), second),
            "none" => null,
            "plain" => new Plain(7),
            var form => throw new Defect($"a result in the form '{form}'"),
        };
    }
}

internal sealed class Raise(JsonElement node, Session session) : IntegerModule(node, session)
{
    public override object? Forward(object?[] args)
    {
        Session.Entered(this, args);
        throw Errors.Make(Node.Text("error") ?? "Error", Node.Text("message") ?? "boom");
    }
}

/// <summary>Calls itself some times.</summary>
internal sealed class Recurse(JsonElement node, Session session) : Leaf(node, session)
{
    private readonly Depth _depth = new(node);

    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        return _depth.Run(deeper => deeper ? Call(args) : Compute(args[0]));
    }
}

/// <summary>Registers a hook during its first <c>forward</c>.</summary>
internal sealed class Register(JsonElement node, Session session) : Leaf(node, session)
{
    private int _done;

    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        if (Interlocked.Exchange(ref _done, 1) == 0) Session.Register(Node.Need("register"));
        return Compute(args[0]);
    }
}
