using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The tensors that outlive a call's dispose scope, because a field, an argument, the result, or a hook registered during the call leads to
/// them.
/// </summary>
/// <remarks>
/// Objects are read field by field (<see cref="ObjectGraph"/>), except collections in a result, which are enumerated. Unlike enumerating a
/// collection, reading its fields works while another thread changes the collection.
/// </remarks>
internal static class ReachableTensors
{
    [ThreadStatic]
    private static Traversal? _traversal;

    // The hooks registered during the thread's outermost call.
    [ThreadStatic]
    private static List<Delegate>? _closures;

    /// <summary>
    /// Adds a hook to those registered during a call; does nothing outside of calls. Tensors that the hook's captured variables hold at the
    /// end of the call outlive the call.
    /// </summary>
    internal static void AddClosure(Delegate hook)
    {
        if (DisposeScope.InCall) (_closures ??= []).Add(hook);
    }

    /// <summary>Forgets the hooks from <see cref="AddClosure"/>, at the end of the thread's outermost call.</summary>
    internal static void ClearClosures() => _closures = null;

    /// <summary>Returns the fields of a tree's modules, and static fields, that could lead to a tensor.</summary>
    internal static (object? Owner, FieldInfo Field)[] RetainingFields(torch.nn.Module root)
    {
        var modules = root.KnownTree.ToArray();
        var types = modules.Select(module => module.GetType()).ToHashSet();
        var own = modules.SelectMany(module => ObjectGraph.Own.Fields(module.GetType()).Select(field => ((object?)module, field)));
        return [.. own, .. StaticFields.Of(types).Select(field => ((object?)null, field))];
    }

    /// <summary>Returns the fields of an object that is not a module, and static fields, that could lead to a tensor.</summary>
    internal static (object? Owner, FieldInfo Field)[] RetainingFields(object owner)
    {
        var type = owner.GetType();
        return [.. ObjectGraph.Own.Fields(type).Select(field => ((object?)owner, field)),
            .. StaticFields.Of(new HashSet<Type> { type }).Select(field => ((object?)null, field))];
    }

    /// <summary>
    /// Detaches from their dispose scopes the tensors to which the fields or the hooks from <see cref="AddClosure"/> lead.
    /// </summary>
    internal static void Detach((object? Owner, FieldInfo Field)[] fields)
    {
        var closures = _closures;
        if (fields.Length == 0 && closures is null) return;
        var traversal = _traversal ?? NewTraversal();
        _traversal = null; // a static constructor that runs below may call modules
        if (closures is not null)
            foreach (var hook in closures.ToArray()) traversal.Add(hook);
        foreach (var (owner, field) in fields) traversal.Add(StaticFields.Read(owner, field));
        traversal.Run();
        _traversal = traversal;
    }

    /// <summary>
    /// Detaches from their dispose scopes the tensors to which an argument leads: the callee may have added them to the caller's list.
    /// </summary>
    internal static void Detach(object? argument)
    {
        var traversal = _traversal ?? NewTraversal();
        _traversal = null;
        traversal.Add(argument);
        traversal.Run();
        _traversal = traversal;
    }

    /// <summary>Visits the tensors in the arguments or the result of a call.</summary>
    internal static void Visit(object? value, Action<torch.Tensor> visit)
    {
        switch (value)
        {
            case torch.Tensor tensor: visit(tensor); return;
            case torch.nn.utils.rnn.PackedSequence sequence: Visit(sequence.InScope, visit); return;
            case ITuple tuple:
                for (var i = 0; i < tuple.Length; i++) Visit(tuple[i], visit);
                return;
            case IDictionary map: Visit(map.Values, visit); return;
            case IEnumerable items and not string:
                foreach (var item in items) Visit(item, visit);
                return;
            case not (null or string) when ObjectGraph.Own.CanHold(value.GetType()):
                var traversal = new Traversal(ObjectGraph.Own, tensor => visit((torch.Tensor)tensor));
                traversal.Add(value);
                traversal.Run();
                return;
        }
    }

    private static Traversal NewTraversal() => new(ObjectGraph.Own, static tensor => ((torch.Tensor)tensor).DetachFromDisposeScope());

    /// <summary>Moves the tensors of a call's result from the call's dispose scope to the next outer one.</summary>
    internal static void MoveToOuter(object? result, DisposeScope scope)
    {
        if (result is not (null or torch.Tensor)) Nesting.Check();
        switch (result)
        {
            case torch.Tensor tensor:
                if (tensor.Scope == scope) scope.HandOver(tensor);
                return;
            case torch.nn.utils.rnn.PackedSequence sequence:
                MoveToOuter(sequence.InScope, scope);
                return;
            case ITuple tuple:
                for (var i = 0; i < tuple.Length; i++) MoveToOuter(tuple[i], scope);
                return;
            case IDictionary map:
                foreach (var item in map.Values) MoveToOuter(item, scope);
                return;
            case IEnumerable items and not string:
                foreach (var item in items) MoveToOuter(item, scope);
                return;
            case not (null or string) when ObjectGraph.Own.CanHold(result.GetType()):
                var traversal = new Traversal(ObjectGraph.Own, tensor => MoveToOuter(tensor, scope));
                traversal.Add(result);
                traversal.Run();
                return;
        }
    }
}
