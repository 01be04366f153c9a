using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The hooks that a <see cref="HookRegistry"/> has for one module.</summary>
/// <remarks>
/// A hook sees the arguments as an array and the result as an object, whatever the module's types are; what it assigns has to fit them. Their
/// number is fixed by the types, and a null for the only argument is taken as 'keep' by TorchSharp.
/// </remarks>
public sealed class ModuleHooks : IHookTarget<object?[], object?>
{
    internal ModuleHooks(ModuleNode node)
    {
        Path = node.Path;
        Module = node.Module;
    }

    /// <summary>The module's path; the root's is empty.</summary>
    public string Path { get; }

    /// <summary>The module: what hooks get.</summary>
    public object Module { get; }

    internal HookSite<object?[], object?> Site { get; } = new();

    HookSite<object?[], object?>? IHookTarget<object?[], object?>.Site => Site;

    /// <summary>Registers a hook that runs before <c>forward</c> (P-1 … P-6), at the end or, with <paramref name="prepend"/>, at the front.</summary>
    /// <returns>Removes it.</returns>
    public HookHandle register_forward_pre_hook(PreHook<object?[]> hook, bool prepend = false) => Site.Pre.Add(hook, prepend);

    /// <summary>Registers a hook that runs after <c>forward</c> (F-1 … F-3).</summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">At the front.</param>
    /// <param name="always_call">Also when the call fails (A-1 … A-9).</param>
    /// <returns>Removes it.</returns>
    public HookHandle register_forward_hook(ForwardHook<object?[], object?> hook, bool prepend = false, bool always_call = false) =>
        Site.Forward.Add(hook, prepend, always_call);

    // TorchSharp runs it.
    object? IHookTarget<object?[], object?>.Forward(object?[] args) => throw new NotSupportedException();

    object?[] IHookTarget<object?[], object?>.Box(object?[] args) => [.. args];

    object?[] IHookTarget<object?[], object?>.Unbox(object?[] args) => args;

    object? IHookTarget<object?[], object?>.BoxResult(object? result) => result;

    object? IHookTarget<object?[], object?>.UnboxResult(object? result) => result;
}
