using System.Reflection;

namespace Bridge.Torch;

/// <summary>Reads the IL code of methods.</summary>
internal static class MethodCode
{
    /// <summary>
    /// Returns the code of a method; null if it has none, was generated at run time, or, on .NET 8, has a local variable of a missing type.
    /// A method of the last kind cannot have run.
    /// </summary>
    internal static byte[]? Of(MethodBase method)
    {
        try
        {
            return method.GetMethodBody()?.GetILAsByteArray();
        }
        catch (Exception error) when (error is IOException or TypeLoadException or BadImageFormatException
            or InvalidOperationException or NotSupportedException)
        {
            return null;
        }
    }
}
