using System.Diagnostics;
using System.Globalization;
using System.Reflection;

namespace Bridge.Torch.Native;

/// <summary>The place in a model's C# that an operator or module is called from.</summary>
internal static class Caller
{
    /// <summary>
    /// File, line and method of the innermost method of a model on this thread's stack, a tab between them: through native code and Python,
    /// which may be in between. No file and line 0 without symbols; empty where no model runs.
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

    /// <summary>Class and method as the user wrote them: the code of a lambda, a local function or an iterator is in a class and under a name of the compiler's.</summary>
    internal static string SourceName(MethodBase method)
    {
        var (type, name) = (method.DeclaringType, method.Name);
        for (; type is { DeclaringType: { } outer } && type.Name.StartsWith('<'); type = outer)
            if (type.Name[1] != '>') name = type.Name;
        return $"{type?.Name}.{name.Split('<', '>').First(part => part.Length > 0)}";
    }
}
