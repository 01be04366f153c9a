extern alias real;

using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Torch;
using Bridge.TorchSharp;
using Abi = Bridge.Torch.Native.Abi;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>A model of TorchSharp in Python's process.</summary>
internal sealed unsafe class Model : IDisposable
{
    private static readonly ObjectGraph Graph = new(
        typeof(torch.Tensor), typeof(real::TorchSharp.Modules.Parameter), typeof(torch.nn.Module), typeof(real::TorchSharp.DisposeScope));

    private readonly CallTracker _tracker;
    private readonly (object? Owner, FieldInfo Field)[] _retaining;
    private readonly List<IntPtr> _retired = []; // The handles to free when no call is in progress any more.
    private readonly ConditionalWeakTable<torch.Tensor, StrongBox<long>> _numbers = [];
    private long _lastNumber;
    private int _calls;

    /// <param name="root">The model.</param>
    internal Model(torch.nn.Module root)
    {
        var attachment = new ModelAttachment(root);
        Modules = [.. attachment.Modules.Select(node => new HookedModule(node, this))];
        var byNode = Modules.ToDictionary(module => module.Node);
        _tracker = new(attachment, node => byNode[node], static (exception, module) =>
            Interop.ExceptionDetails.FailingPaths.TryAdd(exception, ((HookedModule)module).Node.Path));
        object[] modules = [.. Modules.Select(module => module.Module)];
        _retaining = [.. modules.SelectMany(FieldsOf), .. StaticFields(modules.Select(module => module.GetType().Assembly).Distinct())];
    }

    /// <summary>Gets the modules in PyTorch's order, each once.</summary>
    internal HookedModule[] Modules { get; }

    /// <summary>Returns a number that only this C# tensor object has in this model.</summary>
    internal long NumberOf(torch.Tensor tensor) => _numbers.GetValue(tensor, _ => new(++_lastNumber)).Value;

    /// <summary>
    /// Calls a module. If the call or an inner call fails, runs the <c>always_call</c> hooks of the failed calls (A-3 in docs/contract.md).
    /// </summary>
    internal object? Call(HookedModule module, object?[] arguments, bool hooks) =>
        _tracker.Run(() => module.Invoke(arguments, hooks));

    /// <summary>Runs code of the model. If calls in it fail, runs their <c>always_call</c> hooks .</summary>
    internal object? Run(Func<object?> run) => _tracker.Run(run);

    /// <summary>Begins a call from Python. Callers of this method, EndCall and Retire hold the GIL, which serves as the lock.</summary>
    internal void BeginCall() => _calls++;

    /// <summary>
    /// Ends a call from Python. Returns whether no other call is in progress. If so, also frees the handles that <see cref="Retire"/> kept.
    /// </summary>
    internal bool EndCall()
    {
        if (--_calls > 0) return false;
        // Copied first: freeing a tensor may run Python code, and with it another thread, which may end a call too.
        var retired = _retired.ToArray();
        _retired.Clear();
        foreach (var handle in retired) Abi.delete_tensor(handle);
        return true;
    }

    /// <summary>Frees the handle of a tensor now or, if a call is in progress, when no call is in progress any more.</summary>
    internal void Retire(IntPtr handle)
    {
        if (_calls == 0) Abi.delete_tensor(handle);
        else _retired.Add(handle);
    }

    /// <summary>
    /// Detaches tensors from their dispose scopes, so that they outlive the call: those to which a field of a module, or a static field of
    /// a module's assembly, leads.
    /// </summary>
    internal void DetachRetained()
    {
        if (_retaining.Length == 0) return;
        var traversal = new Traversal(Graph, static tensor => ((torch.Tensor)tensor).DetachFromDisposeScope());
        foreach (var (owner, field) in _retaining) traversal.Add(Bridge.Torch.StaticFields.Read(owner, field));
        traversal.Run();
    }

    /// <summary>Detaches the tensors to which an object leads from their dispose scopes, so that they live as long as the object.</summary>
    internal static void Detach(object? target)
    {
        var traversal = new Traversal(Graph, static tensor => ((torch.Tensor)tensor).DetachFromDisposeScope());
        traversal.Add(target);
        traversal.Run();
    }

    public void Dispose()
    {
        foreach (var module in Modules) module.Forget();
        _tracker.Dispose();
    }

    private static IEnumerable<(object?, FieldInfo)> FieldsOf(object owner) =>
        Graph.Fields(owner.GetType()).Select(field => ((object?)owner, field));

    private static IEnumerable<(object?, FieldInfo)> StaticFields(IEnumerable<Assembly> assemblies) =>
        from assembly in assemblies
        where assembly != typeof(torch).Assembly && !ObjectGraph.IsForeign(assembly)
        from type in Interop.TypeNames.Types(assembly)
        where !type.ContainsGenericParameters && type.Name is not ("<>c" or "<>O")
        from field in type.GetFields(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
        where (field.Attributes & (FieldAttributes.Literal | FieldAttributes.HasFieldRVA)) == 0 && Graph.CanLead(field.FieldType)
        select ((object?)null, field);
}
