using Bridge.Hooks;

namespace Bridge.Conformance;

/// <summary>A program's own error.</summary>
internal sealed class Error(string message) : Exception(message);

/// <summary>A program's own exception that is no error, as KeyboardInterrupt is none .</summary>
internal sealed class Interrupt(string message) : Exception(message), INotAnError;

/// <summary>The interpreter was given what it does not know: no part of a trace. It runs no always-called hook, and none silences it.</summary>
internal sealed class Defect(string message) : Exception(message), INotAnError;

/// <summary>Exceptions under the names that a <c>raise</c> event has.</summary>
internal static class Failures
{
    /// <summary>The program's own by their text, as <c>key</c>; others by Python's name for their kind. An unknown one keeps its own name, and so shows.</summary>
    internal static (string Name, bool Own) Named(Exception exception) => exception switch
    {
        Error => ("Error", true),
        Interrupt => ("Interrupt", true),
        InvalidCastException or ArgumentNullException => ("TypeError", false),
        ArgumentOutOfRangeException or IndexOutOfRangeException => ("IndexError", false),
        ArgumentException => ("TypeError", false), // an option that a registration lacks: Python has no such keyword
        KeyNotFoundException => ("KeyError", false),
        MissingMemberException => ("AttributeError", false),
        NotSupportedException or NotImplementedException => ("NotImplementedError", false),
        InsufficientExecutionStackException => ("RecursionError", false),
        OverflowException => ("OverflowError", false),
        InvalidOperationException => ("RuntimeError", false),
        _ => (exception.GetType().Name, false),
    };

    /// <summary>The exception that an action or a node raises.</summary>
    internal static Exception Make(string name, string message) => name switch
    {
        "Error" => new Error(message),
        "Interrupt" => new Interrupt(message),
        _ => throw new Defect($"an error '{name}'"),
    };
}
