using Bridge.Hooks;

namespace Bridge.Conformance.Modules;

/// <summary>A program's own error.</summary>
public sealed class Error(string message) : Exception(message);

/// <summary>A program's own exception that, like Python's KeyboardInterrupt, is not an error .</summary>
public sealed class Interrupt(string message) : Exception(message), INotAnError;

/// <summary>The exceptions that programs raise, by name.</summary>
public static class Errors
{
    /// <summary>The exception of that name.</summary>
    public static Exception Make(string name, string message) => name == nameof(Interrupt) ? new Interrupt(message) : new Error(message);

    /// <summary>It is a program's own error, whichever language raised it.</summary>
    public static bool IsError(Exception exception) => exception is Error or IForeignException { TypeName: nameof(Error) };
}
