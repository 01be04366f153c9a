using TorchSharp;

namespace Bridge.Interop;

/// <summary>What Python gets of a C# exception.</summary>
internal sealed class Failure
{
    /// <param name="exception">What was thrown. The module that it came from is forgotten: thrown again, it may come from another.</param>
    internal Failure(Exception exception)
    {
        Kind = FailureKind.Of(exception);
        Type = ExceptionText.Type(exception);
        Message = ExceptionText.Message(exception) + Missing(exception);
        Stack = ExceptionText.Stack(exception);
        if (torch.nn.Module.FailingModules.TryGetValue(exception, out var module)) torch.nn.Module.FailingModules.Remove(exception);
        ModuleId = module?.Id ?? 0;
        ModuleType = module?.GetType().Name ?? "";
    }

    /// <summary>Which of Python's classes it becomes.</summary>
    internal string Kind { get; }

    internal string Type { get; }

    internal string Message { get; }

    internal string Stack { get; }

    /// <summary>The innermost module that it came from; 0 for none.</summary>
    internal long ModuleId { get; }

    internal string ModuleType { get; }

    // What nothing checked before, such as a member that an assembly loaded at run time needs: the runtime's own words name it, but not who lacks it.
    private static string Missing(Exception exception)
    {
        for (var (inner, depth) = (exception, 0); inner is not null && depth < 100; inner = inner.InnerException, depth++)
        {
            if (inner is not (MissingMemberException or TypeLoadException or DllNotFoundException)) continue;
            var words = ExceptionText.Message(inner);
            if (!words.Contains("TorchSharp", StringComparison.Ordinal) && !UsesTorchSharp(inner)) continue;
            return (ReferenceEquals(inner, exception) ? "" : $" {words}") + " Bridge.Torch, which takes TorchSharp's place, has no such member; docs/api.md lists what it has.";
        }

        return "";
    }

    private static bool UsesTorchSharp(Exception exception) =>
        new System.Diagnostics.StackTrace(exception).GetFrames().Any(frame => frame.GetMethod()?.Module.Assembly.GetReferencedAssemblies().Any(other => other.Name == Facade.Name) == true);
}
