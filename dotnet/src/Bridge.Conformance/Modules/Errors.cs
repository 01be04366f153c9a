using Bridge.Hooks;

namespace Bridge.Conformance.Modules;

/// <summary>An error that a hook program raises.</summary>
public sealed class Error(string message) : Exception(message);

/// <summary>An interrupt that a hook program raises: like Python's KeyboardInterrupt, it is not an error .</summary>
public sealed class Interrupt(string message) : Exception(message), INotAnError;

/// <summary>Creates and recognizes the exceptions that hook programs raise.</summary>
public static class Errors
{
    /// <summary>Creates an <see cref="Interrupt"/> if <c>Interrupt</c> is the name, else an <see cref="Error"/>.</summary>
    public static Exception Make(string name, string message) => name == nameof(Interrupt) ? new Interrupt(message) : new Error(message);

    /// <summary>Returns whether an exception is an error that a program raised, in C# or in Python.</summary>
    public static bool IsError(Exception exception) => exception is Error or IForeignException { TypeName: nameof(Error) };
}
