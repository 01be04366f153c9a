using System.Diagnostics;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The details of a C# exception, from which Python makes its own exception.</summary>
internal sealed class ExceptionDetails
{
    /// <summary>For modules that TorchSharp itself runs: the path of the innermost module whose call failed with the exception.</summary>
    internal static readonly ConditionalWeakTable<Exception, string> FailingPaths = [];

    /// <summary>
    /// Reads an exception, and removes it from <see cref="torch.nn.Module.FailingModules"/> and <see cref="FailingPaths"/>, because another
    /// module may throw the same exception object later.
    /// </summary>
    internal ExceptionDetails(Exception exception)
    {
        Kind = ExceptionKind.Classify(exception);
        Type = ExceptionText.Type(exception);
        Message = ExceptionText.Message(exception) + MissingMemberHint(exception);
        Stack = ExceptionText.Stack(exception);
        if (torch.nn.Module.FailingModules.TryGetValue(exception, out var module)) torch.nn.Module.FailingModules.Remove(exception);
        ModuleId = module?.Id ?? 0;
        ModuleType = module?.GetType().Name ?? "";
        if (FailingPaths.TryGetValue(exception, out var path)) (ModuleId, ModuleType) = (-1, path);
        FailingPaths.Remove(exception);
    }

    /// <summary>The kind of Python exception that represents the C# exception.</summary>
    internal string Kind { get; }

    internal string Type { get; }

    internal string Message { get; }

    internal string Stack { get; }

    /// <summary>
    /// The id of the innermost module whose call failed with the exception; 0 if there is none, -1 if TorchSharp itself runs the module.
    /// </summary>
    internal long ModuleId { get; }

    /// <summary>The name of that module's class; the module's path if TorchSharp itself runs the module; empty if there is none.</summary>
    internal string ModuleType { get; }

    // SurfaceReport reports missing members before a model is created, but not the members used by an assembly that the model loads later.
    // .NET's own message does not say that Bridge.Torch takes TorchSharp's place.
    private static string MissingMemberHint(Exception exception)
    {
        for (var (inner, depth) = (exception, 0); inner is not null && depth < 100; inner = inner.InnerException, depth++)
        {
            if (inner is not (MissingMemberException or TypeLoadException or DllNotFoundException)) continue;
            var text = ExceptionText.Message(inner);
            if (!text.Contains("TorchSharp", StringComparison.Ordinal) && !UsesTorchSharp(inner)) continue;
            return (ReferenceEquals(inner, exception) ? "" : $" {text}")
                + " Bridge.Torch, which takes TorchSharp's place, has no such member, type or native library: see docs/api.md.";
        }

        return "";
    }

    private static bool UsesTorchSharp(Exception exception) => new StackTrace(exception).GetFrames()
        .Any(frame => frame.GetMethod()?.Module.Assembly.GetReferencedAssemblies().Any(other => other.Name == Facade.Name) == true);
}
