using System.Text.Json;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>
/// Classifies C# exceptions. The dictionaries <c>EXCEPTION_CLASSES</c> in <c>bridge/clr/call/exports.py</c> and
/// <c>bridge/clr/call/operator_errors.py</c> map each kind to a Python class.
/// </summary>
internal static class ExceptionKind
{
    // The kinds by libtorch's error class. PyTorch raises RuntimeError for any other class.
    private static readonly Dictionary<string, string> LibtorchErrors = new()
    {
        ["IndexError"] = "index",
        ["ValueError"] = "value",
        ["TypeError"] = "type",
        ["NotImplementedError"] = "not implemented",
        ["LinAlgError"] = "linear algebra",
        ["OutOfMemoryError"] = "device memory",
    };

    internal static string Classify(Exception exception) => exception switch
    {
        InsufficientExecutionStackException => "recursion",
        _ when Hooks.InterruptCheck.IsInterrupt(exception) => "interrupt",
        _ when ErrorClass.Of(exception) is { } name && LibtorchErrors.TryGetValue(name, out var kind) => kind,
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
