using System.Runtime.InteropServices;
using Bridge.Conformance.Modules;
using Bridge.Hooks;

namespace Bridge.Conformance;

/// <summary>The interpreter got something that it does not know, which is not part of a trace. It runs no always-called hook, and none silences it.</summary>
internal sealed class Defect(string message) : Exception(message), INotAnError;

/// <summary>Types forbid the program's tree (F-2).</summary>
internal sealed class Forbidden(string message) : Exception(message);

/// <summary>Exceptions under the names that a <c>raise</c> event has.</summary>
internal static class Failures
{
    /// <summary>The program's own by their text, as <c>key</c>; others by Python's name for their kind. An unknown one keeps its own name, so that it is noticed.</summary>
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
        InvalidOperationException or ExternalException => ("RuntimeError", false),
        _ => (exception.GetType().Name, false),
    };
}
