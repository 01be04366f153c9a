using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Bridge.Torch.Native;

/// <summary>Which class of PyTorch's an operator's error is: Python raises that, where TorchSharp throws <see cref="ExternalException"/> for all.</summary>
/// <remarks>
/// The ABI passes on no class. But the stack that comes with the message begins where the C++ exception was made, in the constructors of its class:
/// <c>c10::Error::Error</c>, then <c>c10::IndexError::IndexError</c>.
/// </remarks>
internal static class ErrorClass
{
    private const string Key = "PyTorch";

    /// <summary>Notes the class with the exception, unless it is the one for all else.</summary>
    /// <param name="error">What is thrown.</param>
    /// <param name="message">libtorch's words, which may have anything in them.</param>
    /// <param name="whole">The same, with the stack.</param>
    internal static void Note(ExternalException error, string message, string whole)
    {
        var stack = whole.StartsWith(message, StringComparison.Ordinal) ? whole.AsSpan(message.Length) : whole;
        foreach (var made in Constructor.EnumerateMatches(stack))
        {
            var name = stack.Slice(made.Index, made.Length);
            if (name is "c10::Error::Error(") continue;
            error.Data[Key] = name[(name.LastIndexOf(':') + 1)..^1].ToString();
            return;
        }
    }

    /// <summary>An operator's error that is PyTorch's own check of the arguments in Python.</summary>
    internal static ExternalException ValueError(string message, Exception inner) => new(message, inner) { Data = { [Key] = nameof(ValueError) } };

    /// <summary>The class's name, such as <c>IndexError</c>; null for an error of no class of its own, and before torch 2.13.</summary>
    // Of this class itself, as ours are: what a user derives from it may have a Data that throws.
    internal static string? Of(Exception error) => error.GetType() == typeof(ExternalException) ? error.Data[Key] as string : null;

    // Not generated at compile time: the types' names would have the folder of the sources in them.
    private static readonly Regex Constructor = new(@"\bc10::(\w+)::\1\(", RegexOptions.CultureInvariant);
}
