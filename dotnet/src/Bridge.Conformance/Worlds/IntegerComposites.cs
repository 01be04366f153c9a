namespace Bridge.Conformance.Worlds;

/// <summary>A module with children, which it calls, or with <c>"by": "forward"</c> does not call (C-3).</summary>
internal abstract class Composite(Node node, Session session) : IntegerModule(node, session)
{
    private readonly bool _byForward = node.Spec.Text("by") == "forward";

    protected IntegerModule Child(int number) =>
        number < Node.Children.Count ? (IntegerModule)Node.Children[number].Node.Module : throw new IndexOutOfRangeException("no such child");

    protected object? Run(IntegerModule child, object?[] args) => _byForward ? child.Forward(args) : child.Call(args);
}

internal sealed class Sequence(Node node, Session session) : Composite(node, session)
{
    public override object? Forward(object?[] args)
    {
        Session.Entered(this, args);
        for (var i = 0; i < Node.Children.Count; i++) args = [Run(Child(i), args)];
        return args[0];
    }
}

internal sealed class Parallel(Node node, Session session) : Composite(node, session)
{
    public override object? Forward(object?[] args)
    {
        Session.Entered(this, args);
        var results = Node.Children.Select((_, i) => Run(Child(i), args)).ToArray();
        var total = results[0];
        foreach (var result in results[1..]) total = Integers.Plus(total, result);
        return total;
    }
}

internal sealed class Swallow(Node node, Session session) : Composite(node, session)
{
    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        try
        {
            return Run(Child(0), args);
        }
        catch (Error)
        {
            return args[0];
        }
    }
}

/// <summary>Uses its child's constants and never calls it (Z-1).</summary>
internal sealed class Opaque(Node node, Session session) : Composite(node, session)
{
    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        return Integers.Plus(Integers.Times(args[0], Child(0).Constant("weight")), Child(0).Constant("bias"));
    }
}
