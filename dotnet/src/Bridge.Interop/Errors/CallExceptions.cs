using System.Runtime.CompilerServices;

namespace Bridge.Interop;

/// <summary>The Python exceptions that have entered .NET during the running calls of one Python thread.</summary>
/// <remarks>
/// An exception that enters on a .NET thread belongs to the innermost running call of the Python thread that started the work: an
/// <see cref="AsyncLocal{T}"/> flows from there with the execution context. All members run with the GIL held, which serves as the lock.
/// </remarks>
internal sealed class CallExceptions
{
    /// <summary>The maximum number of exceptions in <see cref="_recent"/>.</summary>
    private const int MaxRecent = 8;

    private static readonly AsyncLocal<CallExceptions?> Flowing = new();

    [ThreadStatic]
    private static CallExceptions? _ofThread;

    // The exceptions of the innermost call. The key is an exception that C# sees: the PythonException, the C# exception in Original, or
    // the argument `seen` of Add.
    private ConditionalWeakTable<Exception, PythonException>? _entered;
    private PythonInterrupt? _interrupt;

    // Keeps the latest exceptions alive while their handlers run. The table holds weak references, and C# may hold no other reference.
    private readonly Queue<PythonException> _recent = new();
    private int _depth;

    /// <summary>Begins a call on this thread.</summary>
    internal static Scope Enter()
    {
        var exceptions = _ofThread ?? Create();
        var scope = new Scope(exceptions, exceptions._entered, exceptions._interrupt);
        (exceptions._entered, exceptions._interrupt) = (null, null);
        exceptions._depth++;
        return scope;
    }

    /// <summary>Adds a Python exception that enters .NET. Does nothing if no call from Python is in progress.</summary>
    internal static void Add(PythonException python)
    {
        var exceptions = _ofThread is { _depth: > 0 } own ? own : Flowing.Value;
        if (exceptions is not { _depth: > 0 }) return;
        (exceptions._entered ??= []).AddOrUpdate(python.Original ?? python, python);
        exceptions._interrupt ??= python as PythonInterrupt;
        exceptions._recent.Enqueue(python);
        if (exceptions._recent.Count > MaxRecent) exceptions._recent.Dequeue();
    }

    /// <summary>Makes a C# exception represent a Python exception that has entered .NET.</summary>
    /// <param name="seen">The exception that C# sees from now on.</param>
    /// <param name="entered">The exception that C# saw before. If it does not represent a Python exception, nothing is done.</param>
    internal static void Add(Exception seen, Exception entered)
    {
        var exceptions = _ofThread is { _depth: > 0 } own ? own : Flowing.Value;
        if (exceptions?._entered is { } known && known.TryGetValue(entered, out var python)) known.AddOrUpdate(seen, python);
    }

    // Called once for each thread. Setting an AsyncLocal at each call would cost more than the rest of the call.
    private static CallExceptions Create()
    {
        _ofThread = new();
        Flowing.Value ??= _ofThread;
        return _ofThread;
    }

    /// <summary>The Python exceptions of one call, and those of the enclosing call, which <see cref="Leave"/> restores.</summary>
    internal readonly struct Scope(
        CallExceptions exceptions, ConditionalWeakTable<Exception, PythonException>? outer, PythonInterrupt? outerInterrupt)
    {
        /// <summary>Whether no Python exception entered during the call.</summary>
        internal bool IsEmpty => exceptions._entered is null;

        /// <summary>The first interrupt, such as KeyboardInterrupt, that entered; null if none did.</summary>
        internal PythonInterrupt? Interrupt => exceptions._interrupt;

        /// <summary>The exceptions that entered, by the exception that C# sees.</summary>
        internal IEnumerable<KeyValuePair<Exception, PythonException>> Entered => exceptions._entered ?? [];

        /// <summary>Returns the Python exception that C# sees as this exception; null if there is none.</summary>
        internal PythonException? Find(Exception thrown) =>
            thrown as PythonException
            ?? (exceptions._entered is { } entered && entered.TryGetValue(thrown, out var python) ? python : null);

        /// <summary>
        /// Detaches (<see cref="PythonException.Detach"/>) the exceptions that entered, and <paramref name="other"/>. Detaching may run
        /// Python code, in which more exceptions may enter.
        /// </summary>
        internal void Detach(PythonException? other)
        {
            var detached = other is null;
            foreach (var (_, python) in Entered.ToArray())
            {
                python.Detach();
                detached |= python == other;
            }

            if (!detached) other!.Detach();
        }

        internal void Leave()
        {
            (exceptions._entered, exceptions._interrupt) = (outer, outerInterrupt);
            if (--exceptions._depth == 0) exceptions._recent.Clear();
        }
    }
}
