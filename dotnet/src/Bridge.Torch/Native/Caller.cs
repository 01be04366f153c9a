using System.Diagnostics;
using System.Globalization;
using System.Reflection;

namespace Bridge.Torch.Native;

/// <summary>The location in a model's C# code where an operator or module is called.</summary>
internal static class Caller
{
    /// <summary>
    /// Finds the innermost frame on this thread's stack whose method is in a model's assembly. Returns its file, line and method, separated
    /// by tabs; an empty string if there is no such frame. Without symbols, the file is empty and the line is 0.
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
    /// Returns the names of class and method in .NET, such as <c>Net.get_Size</c>. For a lambda or a local function, returns those of the
    /// enclosing method; for an iterator or an async method, those in the source.
    /// </summary>
    internal static string SourceName(MethodBase method)
    {
        var (type, name) = (method.DeclaringType, method.Name);
        for (; type is { DeclaringType: { } outer } && type.Name.StartsWith('<'); type = outer)
            if (type.Name[1] != '>') name = type.Name;
        return $"{type?.Name}.{name.Split('<', '>').First(part => part.Length > 0)}";
    }
}
