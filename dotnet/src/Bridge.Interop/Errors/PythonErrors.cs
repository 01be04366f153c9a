using System.Runtime.CompilerServices;

namespace Bridge.Interop;

/// <summary>The Python exceptions that entered .NET during the calls that one thread of Python's has under way.</summary>
/// <remarks>
/// One that enters on a thread of .NET's own belongs to the call that started the work there, which is found as anything that flows with a task
/// is: by the execution context. Everything here runs with the GIL held, which is the lock.
/// </remarks>
internal sealed class PythonErrors
{
    /// <summary>How many handlers within each other are expected at most: a model may catch any number of exceptions in a loop.</summary>
    private const int Recent = 8;

    private static readonly AsyncLocal<PythonErrors?> Flowing = new();

    [ThreadStatic]
    private static PythonErrors? _mine;

    // Of the innermost call, by what was thrown: the exception itself, or its original.
    private ConditionalWeakTable<Exception, PythonException>? _entered;
    private PythonInterrupt? _interrupt;

    // The last ones, so that none that a handler has not left yet is collected: C# need not refer to it, and the table does not keep it.
    private readonly Queue<PythonException> _recent = new();
    private int _depth;

    /// <summary>A call begins on this thread.</summary>
    internal static Entry Enter()
    {
        var mine = _mine ?? Begin();
        var entry = new Entry(mine, mine._entered, mine._interrupt);
        (mine._entered, mine._interrupt) = (null, null);
        mine._depth++;
        return entry;
    }

    /// <summary>A Python exception enters .NET. One that no call of Python's waits for is dropped.</summary>
    internal static void Add(PythonException python)
    {
        var errors = _mine is { _depth: > 0 } mine ? mine : Flowing.Value;
        if (errors is not { _depth: > 0 }) return;
        (errors._entered ??= []).AddOrUpdate(python.Original ?? python, python);
        errors._interrupt ??= python as PythonInterrupt;
        errors._recent.Enqueue(python);
        if (errors._recent.Count > Recent) errors._recent.Dequeue();
    }

    // Once a thread: a context that is changed at each call would cost more than the rest of the crossing.
    private static PythonErrors Begin()
    {
        _mine = new();
        Flowing.Value ??= _mine;
        return _mine;
    }

    /// <summary>One call, and what was kept for the one around it.</summary>
    internal readonly struct Entry(PythonErrors errors, ConditionalWeakTable<Exception, PythonException>? outer, PythonInterrupt? outerInterrupt)
    {
        /// <summary>No Python exception entered during the call.</summary>
        internal bool IsQuiet => errors._entered is null;

        /// <summary>The first interrupt that entered.</summary>
        internal PythonInterrupt? Interrupt => errors._interrupt;

        /// <summary>What entered, by what was thrown.</summary>
        internal IEnumerable<KeyValuePair<Exception, PythonException>> Entered => errors._entered ?? [];

        /// <summary>The Python exception that was thrown as this one, if it entered during the call or is one.</summary>
        internal PythonException? Of(Exception thrown) =>
            thrown as PythonException ?? (errors._entered is { } entered && entered.TryGetValue(thrown, out var python) ? python : null);

        /// <summary>Frees the frames of what entered, and of another that is raised. What runs meanwhile may add more.</summary>
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

        /// <summary>The call ends.</summary>
        internal void Leave()
        {
            (errors._entered, errors._interrupt) = (outer, outerInterrupt);
            if (--errors._depth == 0) errors._recent.Clear();
        }
    }
}
