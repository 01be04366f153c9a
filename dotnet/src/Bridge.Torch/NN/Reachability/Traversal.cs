namespace Bridge.Torch;

/// <summary>A traversal of an object graph, which examines each object once and calls an action for each reference to a tensor.</summary>
/// <param name="graph">The fields that can lead to a tensor.</param>
/// <param name="visit">The action, which gets the tensor.</param>
internal sealed class Traversal(ObjectGraph graph, Action<object> visit)
{
    private readonly HashSet<object> _seen = new(ReferenceEqualityComparer.Instance);
    private readonly Stack<object> _waiting = new();

    internal void Add(object? value)
    {
        if (value is null) return;
        if (graph.IsTensor(value)) visit(value);
        else if (graph.CanHold(value.GetType()) && (value is ValueType || _seen.Add(value))) _waiting.Push(value);
    }

    internal void Run()
    {
        while (_waiting.TryPop(out var value))
        {
            if (value is object?[] items) Array.ForEach(items, Add);
            else if (value is Array structs) foreach (var item in structs) Add(item);
            else if (value is Delegate hook) foreach (var single in hook.GetInvocationList()) Add(single.Target);
            else foreach (var field in graph.Fields(value.GetType())) Add(field.GetValue(value));
        }

        _seen.Clear();
    }
}
