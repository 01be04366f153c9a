using System.Text.Json;
using Bridge.Conformance.Modules;

namespace Bridge.Conformance.Worlds;

/// <summary>A module that calls its children. It takes <c>takes</c> arguments, or any number if <c>takes</c> is null.</summary>
internal sealed class Composite(JsonElement node, ProgramSession session, Flow flow, int? takes = null) : IntegerModule(node, session)
{
    private readonly bool _byForward = node.Text("by") == "forward";

    public override object? Forward(object?[] args)
    {
        if (takes is { } count) CheckCount(args, count, count);
        Session.RecordEnter(this, args);
        return flow.Run(args);
    }

    internal override void OnChildrenAdded() =>
        flow.Children = Children.Select(child => (ChildCall)new IntegerChildCall(child, _byForward)).ToArray();
}

/// <summary>Calls a child, by <c>call</c> or by <c>forward</c> (C-3).</summary>
internal sealed class IntegerChildCall(IntegerModule module, bool byForward) : ChildCall
{
    internal override object? Invoke(params object?[] args) => byForward ? module.Forward(args) : module.Call(args);
}

/// <summary>Computes the result of its only child from the child's weight and bias, without calling the child (Z-1).</summary>
internal sealed class Opaque(JsonElement node, ProgramSession session) : IntegerModule(node, session)
{
    public override object? Forward(object?[] args)
    {
        CheckCount(args, 1, 1);
        Session.RecordEnter(this, args);
        var child = Children.First();
        return Integers.Plus(Integers.Times(args[0], child.Constant("weight")), child.Constant("bias"));
    }
}
