using System.Text.Json;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>Maps C# exceptions to Python's classes (<c>bridge/clr/call/exports.py</c> lists the classes by these names).</summary>
internal static class ExceptionKind
{
    // libtorch's error classes. Any other is a RuntimeError in PyTorch too.
    private static readonly Dictionary<string, string> Operators = new()
    {
        ["IndexError"] = "index",
        ["ValueError"] = "value",
        ["TypeError"] = "type",
        ["NotImplementedError"] = "not implemented",
        ["LinAlgError"] = "linear algebra",
        ["OutOfMemoryError"] = "device memory",
    };

    /// <summary>Returns the kind of an exception.</summary>
    internal static string Classify(Exception exception) => exception switch
    {
        InsufficientExecutionStackException => "recursion",
        _ when Hooks.InterruptCheck.IsInterrupt(exception) => "interrupt",
        _ when ErrorClass.Of(exception) is { } name && Operators.TryGetValue(name, out var kind) => kind,
        InvalidCastException or ArgumentNullException or ArrayTypeMismatchException or RankException => "type",
        ArgumentOutOfRangeException => "range",
        ArgumentException or FormatException or InvalidDataException or JsonException => "value",
        IndexOutOfRangeException => "index",
        KeyNotFoundException => "key",
        NotImplementedException or NotSupportedException => "not implemented",
        FileNotFoundException or DirectoryNotFoundException => "file not found",
        EndOfStreamException => "end of file",
        IOException => "os",
        UnauthorizedAccessException => "permission",
        TimeoutException => "timeout",
        DivideByZeroException => "division by zero",
        OverflowException => "overflow",
        ArithmeticException => "arithmetic",
        OutOfMemoryException => "memory",
        _ => "error",
    };
}
