using System.Diagnostics;
using System.Globalization;
using System.Reflection;

namespace Bridge.Torch.Native;

/// <summary>The location in a model's C# that calls an operator or module.</summary>
internal static class Caller
{
    /// <summary>
    /// Returns file, line and method of the innermost model method on this thread's stack, separated by tabs; native and Python frames may
    /// be in between. Without symbols, there is no file and the line is 0. Returns an empty string if no model runs.
    /// </summary>
    internal static string Innermost()
    {
        foreach (var frame in new StackTrace(1, true).GetFrames())
        {
            if (frame.GetMethod() is not { DeclaringType: { } type } method || !ShapeReads.IsModelAssembly(type.Assembly)) continue;
            return string.Create(CultureInfo.InvariantCulture, $"{frame.GetFileName()}\t{frame.GetFileLineNumber()}\t{SourceName(method)}");
        }

        return "";
    }

    /// <summary>
    /// Returns class and method as in the source: the code of a lambda, a local function or an iterator is in a method and class that the
    /// compiler named.
    /// </summary>
    internal static string SourceName(MethodBase method)
    {
        var (type, name) = (method.DeclaringType, method.Name);
        for (; type is { DeclaringType: { } outer } && type.Name.StartsWith('<'); type = outer)
            if (type.Name[1] != '>') name = type.Name;
        return $"{type?.Name}.{name.Split('<', '>').First(part => part.Length > 0)}";
    }
}
