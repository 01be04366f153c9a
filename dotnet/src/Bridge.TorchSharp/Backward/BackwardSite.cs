using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Hooks;
using TorchSharp;

namespace Bridge.TorchSharp;

/// <summary>The backward hooks of a module. Each registry is created when it is first read.</summary>
internal sealed class BackwardSite
{
    private HookRegistry<BackwardPreHook>? _pre;
    private HookRegistry<BackwardHook>? _full;

    internal HookRegistry<BackwardPreHook> Pre => Volatile.Read(ref _pre) ?? Publish(ref _pre);

    internal HookRegistry<BackwardHook> Full => Volatile.Read(ref _full) ?? Publish(ref _full);

    internal bool IsEmpty => _pre is not { IsEmpty: false } && _full is not { IsEmpty: false };

    /// <summary>Checks that the TorchSharp of a module can tap gradients.</summary>
    /// <exception cref="NotSupportedException">
    /// It has no autograd functions, or it is another assembly than the one that this library has found.
    /// </exception>
    internal static void Require(object module)
    {
        var type = module.GetType();
        while (type is not null && type.FullName != "TorchSharp.torch+nn+Module") type = type.BaseType;
        var library = type?.Assembly ?? module.GetType().Assembly;
        if (MissingFunction(library) is { } missing) throw new NotSupportedException(missing);
        if (IsOurs(module)) return;
        throw new NotSupportedException(
            $"{module.GetType()} runs on {library.FullName}, and this library has found another TorchSharp or none: backward hooks "
                + "need the same one.");
    }

    /// <summary>Returns why an assembly cannot tap gradients; null if it can.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "GradientTap has the type as base class.")]
    internal static string? MissingFunction(Assembly library) =>
        library.GetType("TorchSharp.torch+autograd+MultiTensorFunction`1") is null
            ? $"{library.GetName().Name} {library.GetName().Version} has no autograd functions "
                + "(torch.autograd.MultiTensorFunction), which backward hooks need. TorchSharp has them."
            : null;

    // Two threads may create a registry at once. Both use the one published first, or a registration would be lost.
    private static HookRegistry<THook> Publish<THook>(ref HookRegistry<THook>? field)
        where THook : Delegate
    {
        var fresh = new HookRegistry<THook>(allowAlwaysCall: false);
        return Interlocked.CompareExchange(ref field, fresh, null) ?? fresh;
    }

    private static bool IsOurs(object module)
    {
        try
        {
            return IsModule(module);
        }
        catch (Exception exception) when (exception is IOException or TypeLoadException)
        {
            return false; // This library has found no TorchSharp.
        }
    }

    // Not inlined, because the type is loaded when the method is compiled.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsModule(object module) => module is torch.nn.Module;
}
