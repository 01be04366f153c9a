using System.Text.Json;
using Bridge.Conformance.Modules;

namespace Bridge.Conformance.Worlds;

/// <summary>A module with children, which it runs in some way.</summary>
internal sealed class Composite(JsonElement node, Session session, Flow flow, int? takes = null) : IntegerModule(node, session)
{
    private readonly bool _byForward = node.Text("by") == "forward";

    public override object? Forward(object?[] args)
    {
        if (takes is { } count) Expect(args, count, count);
        Session.Entered(this, args);
        return flow.Run(args);
    }

    internal override void Completed() => flow.Children = Children.Select(child => (Child)new IntegerChild(child, _byForward)).ToArray();
}

/// <summary>A child, by call or by <c>forward</c> (C-3).</summary>
internal sealed class IntegerChild(IntegerModule module, bool byForward) : Child
{
    internal override object? Run(params object?[] args) => byForward ? module.Forward(args) : module.Call(args);
}

/// <summary>Uses its child's constants and never calls it (Z-1).</summary>
internal sealed class Opaque(JsonElement node, Session session) : IntegerModule(node, session)
{
    public override object? Forward(object?[] args)
    {
        Expect(args, 1, 1);
        Session.Entered(this, args);
        var child = Children.First();
        return Integers.Plus(Integers.Times(args[0], child.Constant("weight")), child.Constant("bias"));
    }
}
