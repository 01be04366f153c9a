using System.Text.Json;
using Bridge.Conformance.Modules;

namespace Bridge.Conformance.Worlds;

/// <summary>A module with children, which it calls, or with <c>"by": "forward"</c> does not call (C-3).</summary>
internal abstract class Composite(JsonElement node, Session session) : IntegerModule(node, session)
{
    private readonly bool _byForward = node.Text("by") == "forward";

    protected IntegerModule Only => Children.FirstOrDefault() ?? throw new IndexOutOfRangeException("no child");

    protected object? Run(IntegerModule child, object?[] args) => _byForward ? child.Forward(args) : child.Call(args);
}

internal sealed class Sequence(JsonElement node, Session session) : Composite(node, session)
{
    public override object? Forward(object?[] args)
    {
        Session.Entered(this, args);
        foreach (var child in Children) args = [Run(child, args)];
        return args[0];
    }
}

internal sealed class Parallel(JsonElement node, Session session) : Composite(node, session)
{
    public override object? Forward(object?[] args)
    {
        Session.Entered(this, args);
        var results = Children.Select(child => Run(child, args)).ToArray();
        var total = results[0];
        foreach (var result in results[1..]) total = Integers.Plus(total, result);
        return total;
    }
}

internal sealed class Swallow(JsonElement node, Session session) : Composite(node, session)
{
    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        try
        {
            return Run(Only, args);
        }
        catch (Error)
        {
            return args[0];
        }
    }
}

/// <summary>Uses its child's constants and never calls it (Z-1).</summary>
internal sealed class Opaque(JsonElement node, Session session) : Composite(node, session)
{
    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        return Integers.Plus(Integers.Times(args[0], Only.Constant("weight")), Only.Constant("bias"));
    }
}
