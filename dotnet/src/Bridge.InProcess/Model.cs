extern alias real;

using System.Reflection;
using Bridge.Interop;
using Bridge.TorchSharp;
using Abi = Bridge.Torch.Native.Abi;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>A parameter or buffer of a module.</summary>
/// <param name="Name">The name, without the module's path.</param>
/// <param name="Tensor">The tensor object that C# has.</param>
/// <param name="Kind">Its kind.</param>
internal sealed record ModuleTensor(string Name, torch.Tensor Tensor, TensorKind Kind);

/// <summary>What a module registers a tensor as.</summary>
internal enum TensorKind
{
    /// <summary>A parameter.</summary>
    Parameter,

    /// <summary>A buffer that the state_dict has.</summary>
    Buffer,

    /// <summary>A buffer that the state_dict lacks.</summary>
    NonPersistentBuffer,
}

/// <summary>A model of TorchSharp in Python's process.</summary>
internal sealed class Model : IDisposable
{
    private readonly CallTracker _tracker;

    /// <param name="root">The model.</param>
    internal Model(torch.nn.Module root)
    {
        var attachment = new ModelAttachment(root);
        Modules = [.. attachment.Modules.Select(node => new HookedModule(node, this))];
        var byNode = Modules.ToDictionary(module => module.Node);
        _tracker = new(attachment, node => byNode[node]);
    }

    /// <summary>Gets the modules in PyTorch's order, each once.</summary>
    internal HookedModule[] Modules { get; }

    /// <summary>Returns the parameters and buffers that a module itself registers.</summary>
    internal static IReadOnlyList<ModuleTensor> TensorsOf(torch.nn.Module module)
    {
        var persistent = module.named_buffers(recurse: false, include_nonpersistent: false).Select(item => item.name).ToHashSet();
        return [
            .. module.named_parameters(recurse: false).Select(item => new ModuleTensor(item.name, item.parameter, TensorKind.Parameter)),
            .. module.named_buffers(recurse: false).Select(item => new ModuleTensor(
                item.name, item.buffer, persistent.Contains(item.name) ? TensorKind.Buffer : TensorKind.NonPersistentBuffer)),
        ];
    }

    /// <summary>Calls a module, and the always-called hooks if the call fails .</summary>
    internal object? Call(HookedModule module, object?[] arguments, bool hooks) =>
        _tracker.Run(() => module.Invoke(arguments, hooks));

    public void Dispose()
    {
        foreach (var module in Modules) module.Forget();
        _tracker.Dispose();
    }
}
