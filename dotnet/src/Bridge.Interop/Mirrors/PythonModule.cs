using System.Collections.Concurrent;
using Bridge.Torch;
using TorchSharp;
using TorchSharp.Modules;

namespace Bridge.Interop;

/// <summary>A PyTorch module as a C# hook sees it: its class, its training flag, parameters, buffers and modules by name. Python owns it.</summary>
/// <remarks>Each read asks Python anew, and gives new tensor objects that share the parameters' storage. The same module is the same object.</remarks>
public sealed class PythonModule : torch.nn.Module
{
    private static readonly ConcurrentDictionary<long, PythonModule> Known = new();

    private PythonModule(long number) : base("") => Number = number;

    /// <inheritdoc/>
    public override bool training => (bool)Look(ViewPart.Training)!;

    /// <summary>Below zero.</summary>
    internal override long Number { get; }

    /// <summary>The name of its class.</summary>
    public override string GetName() => (string)Look(ViewPart.Type)!;

    /// <inheritdoc/>
    public override string ToString() => GetName();

    /// <inheritdoc/>
    public override IEnumerable<(string name, torch.nn.Module module)> named_children() => Modules(ViewPart.Children);

    /// <summary>Every module below this one, in PyTorch's order.</summary>
    public override IEnumerable<(string name, torch.nn.Module module)> named_modules() => Modules(ViewPart.Modules);

    /// <summary>Parameters by path, in PyTorch's order.</summary>
    public override IEnumerable<(string name, Parameter parameter)> named_parameters(bool recurse = true) =>
        Tensors(ViewPart.Parameters, recurse).Select(item => (item.name, new Parameter(item.tensor, requires_grad: false))).ToArray();

    /// <summary>Buffers by path, in PyTorch's order.</summary>
    public override IEnumerable<(string name, torch.Tensor buffer)> named_buffers(bool recurse = true, bool include_nonpersistent = true) => Tensors(ViewPart.Buffers, recurse);

    /// <inheritdoc/>
    public override Parameter? get_parameter(string target) => named_parameters().FirstOrDefault(item => item.name == target).parameter;

    /// <inheritdoc/>
    public override torch.Tensor? get_buffer(string target) => named_buffers().FirstOrDefault(item => item.name == target).buffer;

    /// <exception cref="NotSupportedException">Always: C# looks at a PyTorch module, and Python changes it.</exception>
    public override void train(bool train = true) => throw new NotSupportedException($"{GetName()} is a PyTorch module, which C# only looks at: set its training flag in Python.");

    /// <summary>The module that Python knows by this number.</summary>
    internal static PythonModule Of(long number) => Known.GetOrAdd(number, static number => new(number));

    /// <summary>The module is gone.</summary>
    internal static void Forget(long number) => Known.TryRemove(number, out _);

    private protected override IDisposable AddElsewhere(RegisteredHook hook) => HookTable.Register(Number, hook);

    private object? Look(ViewPart part) => Callbacks.View(Number, part);

    private IEnumerable<object?[]> Pairs(ViewPart part) => ((object?[])Look(part)!).Cast<object?[]>();

    private (string, torch.nn.Module)[] Modules(ViewPart part) => Pairs(part).Select(item => ((string)item[0]!, Find((long)item[1]!))).ToArray();

    private (string name, torch.Tensor tensor)[] Tensors(ViewPart part, bool recurse) =>
        Pairs(part).Select(item => ((string)item[0]!, (torch.Tensor)item[1]!)).Where(item => recurse || !item.Item1.Contains('.', StringComparison.Ordinal)).ToArray();

    /// <summary>A module by its number in Python: a mirrored one, or one of PyTorch's.</summary>
    internal static torch.nn.Module Find(long number) => number < 0 ? Of(number) : MirrorLink.Get(number).Module;
}
