using System.Text;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>What Python gets of a C# exception. Every property of a user's exception may throw or return null.</summary>
internal sealed class Failure
{
    /// <param name="exception">What was thrown. The module that it came from is forgotten: thrown again, it may come from another.</param>
    internal Failure(Exception exception)
    {
        Kind = FailureKind.Of(exception);
        Type = Read(() => exception.GetType().FullName);
        Message = Read(() => exception.Message) + Missing(exception);
        Stack = Ends(Read(() => exception.StackTrace));
        if (torch.nn.Module.Failures.TryGetValue(exception, out var module)) torch.nn.Module.Failures.Remove(exception);
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
            var words = Read(() => inner.Message);
            if (!words.Contains("TorchSharp", StringComparison.Ordinal) && !UsesTorchSharp(inner)) continue;
            return (ReferenceEquals(inner, exception) ? "" : $" {words}") + " Bridge.Torch, which takes TorchSharp's place, has no such member; docs/api.md lists what it has.";
        }

        return "";
    }

    private static bool UsesTorchSharp(Exception exception) =>
        new System.Diagnostics.StackTrace(exception).GetFrames().Any(frame => frame.GetMethod()?.Module.Assembly.GetReferencedAssemblies().Any(other => other.Name == Facade.Name) == true);

    private static string Read(Func<string?> ask)
    {
        string? text;
        try
        {
            text = ask();
        }
        catch (Exception exception)
        {
            text = $"(it cannot be read: {exception.GetType().FullName})";
        }

        // Python could not print half of a surrogate pair.
        return Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text ?? ""));
    }

    // A recursion's stack has tens of thousands of lines; its two ends are enough.
    private static string Ends(string stack)
    {
        var lines = stack.Split('\n');
        const int ends = 30;
        return lines.Length <= 2 * ends ? stack
            : string.Join('\n', lines.Take(ends).Append($"   … {lines.Length - 2 * ends} more frames …").Concat(lines.TakeLast(ends)));
    }
}
