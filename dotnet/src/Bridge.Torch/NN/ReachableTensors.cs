using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>What a call made and a module's field or a collection argument still holds when the call ends: it survives the call's scope.</summary>
/// <remarks>
/// Objects are read field by field (<see cref="ObjectGraph"/>), so it does not matter what kind of object keeps a tensor, and another thread may change it meanwhile.
/// </remarks>
internal static class ReachableTensors
{
    [ThreadStatic]
    private static Traversal? _traversal;

    // What hooks that were registered during the thread's call refer to.
    [ThreadStatic]
    private static List<Delegate>? _closures;

    /// <summary>A hook is registered: what it captures of the call that is under way survives it, also what its variables are set to later in the call.</summary>
    internal static void AddClosure(Delegate hook)
    {
        if (DisposeScope.InCall) (_closures ??= []).Add(hook);
    }

    /// <summary>The outermost call of this thread is over.</summary>
    internal static void ClearClosures() => _closures = null;

    /// <summary>The fields of a tree's modules, and static ones beside them, that could lead to a tensor: none at all for most models.</summary>
    internal static (object? Owner, FieldInfo Field)[] RetainingFields(torch.nn.Module root)
    {
        var modules = root.KnownTree.ToArray();
        var types = modules.Select(module => module.GetType()).ToHashSet();
        var own = modules.SelectMany(module => ObjectGraph.Fields(module.GetType()).Select(field => ((object?)module, field)));
        return [.. own, .. StaticFields.Of(types).Select(field => ((object?)null, field))];
    }

    /// <summary>The same of one object that is not a module.</summary>
    internal static (object? Owner, FieldInfo Field)[] RetainingFields(object owner)
    {
        var type = owner.GetType();
        return [.. ObjectGraph.Fields(type).Select(field => ((object?)owner, field)), .. StaticFields.Of(new HashSet<Type> { type }).Select(field => ((object?)null, field))];
    }

    /// <summary>Takes what the fields hold out of the call's scope.</summary>
    internal static void Detach((object? Owner, FieldInfo Field)[] fields)
    {
        var closures = _closures;
        if (fields.Length == 0 && closures is null) return;
        var traversal = _traversal ?? new();
        _traversal = null; // a type's static constructor may run below, and call modules
        if (closures is not null)
            foreach (var hook in closures.ToArray()) traversal.Add(hook);
        foreach (var (owner, field) in fields) traversal.Add(StaticFields.Read(owner, field));
        traversal.Run();
        _traversal = traversal;
    }

    /// <summary>Takes what an argument holds out of the call's scope: a list that the callee added to is its caller's.</summary>
    internal static void Detach(object? argument)
    {
        var traversal = _traversal ?? new();
        _traversal = null;
        traversal.Add(argument);
        traversal.Run();
        _traversal = traversal;
    }

    /// <summary>Hands what a call returns to the scope around its own.</summary>
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
        }
    }

    /// <summary>Goes through all that objects lead to, each once, and takes the tensors out of their scopes.</summary>
    private sealed class Traversal
    {
        private readonly HashSet<object> _seen = new(ReferenceEqualityComparer.Instance);
        private readonly Stack<object> _waiting = new();

        internal void Add(object? value)
        {
            if (value is torch.Tensor tensor) tensor.DetachFromDisposeScope();
            else if (value is not null && ObjectGraph.CanHold(value.GetType()) && (value is ValueType || _seen.Add(value))) _waiting.Push(value);
        }

        internal void Run()
        {
            while (_waiting.TryPop(out var value))
            {
                if (value is object?[] items) Array.ForEach(items, Add);
                else if (value is Array structs) foreach (var item in structs) Add(item);
                else if (value is Delegate hook) foreach (var single in hook.GetInvocationList()) Add(single.Target);
                else foreach (var field in ObjectGraph.Fields(value.GetType())) Add(field.GetValue(value));
            }

            _seen.Clear();
        }
    }
}
