using System.Reflection;

namespace Bridge.Torch;

/// <summary>Reads the IL code of methods.</summary>
internal static class MethodCode
{
    /// <summary>
    /// Returns the code of a method; null if it has none, or if a type of its local variables is missing. Such a method cannot have run.
    /// </summary>
    internal static byte[]? Of(MethodBase method)
    {
        try
        {
            return method.GetMethodBody()?.GetILAsByteArray();
        }
        catch (Exception error) when (error is IOException or TypeLoadException or BadImageFormatException)
        {
            return null; // .NET 8 throws here, .NET 10 does not.
        }
    }
}
