using System.Collections.Concurrent;
using Bridge.Torch;
using TorchSharp;
using TorchSharp.Modules;

namespace Bridge.Interop;

/// <summary>
/// A PyTorch module as C# hooks see it. Hooks can read the module's class, training flag, parameters, buffers and submodules.
/// </summary>
/// <remarks>
/// Python owns the module: each access reads the value in Python. Each access to a tensor returns a new C# object that shares the storage.
/// All accesses to a module return the same C# object.
/// </remarks>
public sealed class PythonModule : torch.nn.Module
{
    private static readonly ConcurrentDictionary<long, PythonModule> Known = new();

    private PythonModule(long number) : base("") => Number = number;

    /// <inheritdoc/>
    public override bool training => (bool)Read(ModulePart.Training)!;

    /// <summary>The module's number in Python, which is negative.</summary>
    internal override long Number { get; }

    /// <summary>Returns the name of the module's class.</summary>
    public override string GetName() => (string)Read(ModulePart.Type)!;

    /// <inheritdoc/>
    public override string ToString() => GetName();

    /// <inheritdoc/>
    public override IEnumerable<(string name, torch.nn.Module module)> named_children() => Modules(ModulePart.Children);

    /// <summary>Returns all descendants by path, without the module itself, in PyTorch's order.</summary>
    public override IEnumerable<(string name, torch.nn.Module module)> named_modules() => Modules(ModulePart.Modules);

    /// <summary>Returns the parameters by path, in PyTorch's order.</summary>
    public override IEnumerable<(string name, Parameter parameter)> named_parameters(bool recurse = true) =>
        Tensors(ModulePart.Parameters, recurse).Select(item => (item.name, new Parameter(item.tensor, requires_grad: false))).ToArray();

    /// <summary>Returns the buffers by path, in PyTorch's order.</summary>
    public override IEnumerable<(string name, torch.Tensor buffer)> named_buffers(bool recurse = true, bool include_nonpersistent = true) =>
        Tensors(include_nonpersistent ? ModulePart.Buffers : ModulePart.PersistentBuffers, recurse);

    /// <inheritdoc/>
    public override Parameter? get_parameter(string target) =>
        named_parameters().FirstOrDefault(item => item.name == target).parameter;

    /// <inheritdoc/>
    public override torch.Tensor? get_buffer(string target) => named_buffers().FirstOrDefault(item => item.name == target).buffer;

    /// <summary>Throws, since only Python changes a PyTorch module.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override void train(bool train = true) =>
        throw new NotSupportedException($"{GetName()} is a PyTorch module, which C# cannot change: set its training flag in Python.");

    internal static PythonModule Get(long number) => Known.GetOrAdd(number, static number => new(number));

    internal static void Forget(long number) => Known.TryRemove(number, out _);

    private protected override IDisposable AddElsewhere(RegisteredHook hook) => HookTable.Register(Number, hook);

    private object? Read(ModulePart part) => Callbacks.ReadPart(Number, part);

    private IEnumerable<object?[]> Pairs(ModulePart part) => ((object?[])Read(part)!).Cast<object?[]>();

    private (string, torch.nn.Module)[] Modules(ModulePart part) =>
        Pairs(part).Select(item => ((string)item[0]!, Find((long)item[1]!))).ToArray();

    private (string name, torch.Tensor tensor)[] Tensors(ModulePart part, bool recurse) =>
        Pairs(part).Select(item => ((string)item[0]!, (torch.Tensor)item[1]!))
            .Where(item => recurse || !item.Item1.Contains('.', StringComparison.Ordinal)).ToArray();

    /// <summary>Returns the PyTorch module with a negative number, or the C# module with an id.</summary>
    internal static torch.nn.Module Find(long number) => number < 0 ? Get(number) : MirrorLink.Get(number).Module;
}
