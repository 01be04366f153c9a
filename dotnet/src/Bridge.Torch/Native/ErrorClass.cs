using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Bridge.Torch.Native;

/// <summary>
/// The PyTorch class of an operator's error. Python raises that class; C# throws <see cref="ExternalException"/>, as TorchSharp does.
/// </summary>
/// <remarks>
/// The ABI does not report the class. But the stack trace in the message starts in the constructors of the C++ exception:
/// <c>c10::Error::Error</c>, then <c>c10::IndexError::IndexError</c>.
/// </remarks>
internal static class ErrorClass
{
    private const string Key = "PyTorch";

    /// <summary>Stores the class in the exception, if the stack trace names one other than the base class <c>c10::Error</c>.</summary>
    /// <param name="error">The exception.</param>
    /// <param name="message">libtorch's message, which may contain any text.</param>
    /// <param name="withTrace">The message followed by the stack trace.</param>
    internal static void Note(ExternalException error, string message, string withTrace)
    {
        var stack = withTrace.StartsWith(message, StringComparison.Ordinal) ? withTrace.AsSpan(message.Length) : withTrace;
        foreach (var made in Constructor.EnumerateMatches(stack))
        {
            var name = stack.Slice(made.Index, made.Length);
            if (name is "c10::Error::Error(") continue;
            error.Data[Key] = name[(name.LastIndexOf(':') + 1)..^1].ToString();
            return;
        }
    }

    /// <summary>Creates an error for which Python raises a ValueError.</summary>
    internal static ExternalException ValueError(string message, Exception inner) =>
        new(message, inner) { Data = { [Key] = nameof(ValueError) } };

    /// <summary>Returns the name of the class, such as <c>IndexError</c>; null if the exception stores none.</summary>
    // Derived classes are excluded: the Data property of a user's exception may throw.
    internal static string? Of(Exception error) => error.GetType() == typeof(ExternalException) ? error.Data[Key] as string : null;

    // Not a generated regex: the generated type names would depend on the path of the checkout.
    private static readonly Regex Constructor = new(@"\bc10::(\w+)::\1\(", RegexOptions.CultureInvariant);
}
