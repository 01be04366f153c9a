namespace Bridge.Interop.Surface;

/// <summary>
/// Finds TorchSharp members that Bridge.Torch lacks and that are used by code reachable from given methods and classes.
/// </summary>
/// <remarks>
/// A method is reachable if reachable code calls it or makes a delegate of it. A virtual method of a class of which reachable code may
/// create an object is reachable if TorchSharp or .NET may call the method, or if reachable code calls a virtual method with the same name
/// and number of parameters. A method named <c>forward</c>, <c>call</c> or <c>Forward</c> is reachable if reachable code may create an
/// object of its class. If reachable code only refers to a class, just the class's declaration and static constructor are reachable.
/// </remarks>
internal sealed class Reachability
{
    private readonly HashSet<object> _seen;
    private readonly HashSet<object> _created;
    private readonly HashSet<string> _called;
    private readonly HashSet<string> _found = [];
    private readonly List<CheckedMethod> _waiting;
    private readonly Queue<object> _pending = new();

    /// <param name="known">
    /// Code that is known to be reachable and is not examined again. Missing members that only this code uses are not reported.
    /// </param>
    internal Reachability(Reachability? known = null)
    {
        _seen = known is null ? [] : new(known._seen);
        _created = known is null ? [] : new(known._created);
        _called = known is null ? [] : new(known._called);
        _waiting = known is null ? [] : new(known._waiting);
    }

    internal List<MissingMember> Missing { get; } = [];

    internal bool Has(CheckedMethod method) => _seen.Contains(method);

    /// <summary>Adds the code that may run when an object of a class is created, by any constructor, and called.</summary>
    internal Reachability AddClass(CheckedType type)
    {
        Create(type);
        foreach (var method in type.Methods)
            if (method.IsConstructor) Call(method);
        return Run();
    }

    /// <summary>Adds the code that may run when the methods are called.</summary>
    internal Reachability AddMethods(CheckedMethod[] methods)
    {
        foreach (var method in methods) Call(method);
        return Run();
    }

    private Reachability Run()
    {
        while (_pending.TryDequeue(out var next))
        {
            if (next is CheckedType type)
            {
                Add(type.Uses, type.Owner);
                continue;
            }

            var method = (CheckedMethod)next;
            Touch(method.Type);
            foreach (var uses in method.Uses) Add(uses, method.Type.Owner);
        }

        return this;
    }

    private void Add(Uses uses, string owner)
    {
        foreach (var missing in uses.Missing)
            if (_found.Add($"{missing}|{owner}")) Missing.Add(new(missing, owner));
        foreach (var method in uses.Methods) Call(method);
        foreach (var type in uses.Types) Touch(type);
        foreach (var type in uses.Created) Create(type);
    }

    private void Touch(CheckedType type)
    {
        if (_seen.Add(type)) _pending.Enqueue(type);
    }

    private void Create(CheckedType type)
    {
        Touch(type);
        if (!_created.Add(type)) return;
        if (type.Base is { } parent) Create(parent);
        foreach (var implemented in type.Interfaces)
            if (implemented is not null) Create(implemented);
        foreach (var method in type.Methods)
        {
            if (method.IsForward || (method.IsVirtual && (_called.Contains(method.Slot) || type.IsCalledFromOutside(method)))) Call(method);
            else if (method.IsVirtual) _waiting.Add(method);
        }
    }

    private void Call(CheckedMethod method)
    {
        if (_seen.Add(method)) _pending.Enqueue(method);
        if (!method.IsVirtual || !_called.Add(method.Slot)) return;
        for (var i = 0; i < _waiting.Count; i++)
            if (_waiting[i].Slot == method.Slot) Call(_waiting[i]);
    }
}
