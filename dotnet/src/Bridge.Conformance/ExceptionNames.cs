using System.Runtime.InteropServices;
using Bridge.Conformance.Modules;
using Bridge.Hooks;

namespace Bridge.Conformance;

/// <summary>
/// Thrown if the interpreter cannot run a hook program. Because this exception is an <see cref="INotAnError"/>, no always-called hooks run
/// for it, and it is never silenced.
/// </summary>
internal sealed class DefectException(string message) : Exception(message), INotAnError;

/// <summary>Thrown for a hook program that C#'s static types (F-2) or TorchSharp's hooks do not allow.</summary>
internal sealed class ForbiddenException(string message) : Exception(message);

/// <summary>The names of exceptions in the trace of a hook program.</summary>
internal static class ExceptionNames
{
    /// <summary>
    /// Returns Python's name of an exception, and whether a <c>raise</c> of the program created the exception. An exception without a
    /// counterpart in Python keeps its C# name, which no program expects.
    /// </summary>
    internal static (string Name, bool Own) Get(Exception exception) => exception switch
    {
        Error => ("Error", true),
        Interrupt => ("Interrupt", true),
        InvalidCastException or ArgumentNullException => ("TypeError", false),
        ArgumentOutOfRangeException or IndexOutOfRangeException => ("IndexError", false),
        ArgumentException => ("TypeError", false), // An option that the method lacks; in Python, an unexpected keyword argument.
        KeyNotFoundException => ("KeyError", false),
        MissingMemberException => ("AttributeError", false),
        NotSupportedException or NotImplementedException => ("NotImplementedError", false),
        InsufficientExecutionStackException => ("RecursionError", false),
        OverflowException => ("OverflowError", false),
        InvalidOperationException or ExternalException => ("RuntimeError", false),
        _ => (exception.GetType().Name, false),
    };
}
