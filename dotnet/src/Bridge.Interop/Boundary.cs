using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using System.Text.Json;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>How an exception leaves .NET: every export catches everything, keeps it here for its thread, and returns a code.</summary>
/// <remarks>An exception that escaped an export would end the process.</remarks>
internal static unsafe class Boundary
{
    internal const int Ok = 0;

    /// <summary>An exception of .NET; <see cref="Describe"/> tells it.</summary>
    internal const int Failed = 1;

    /// <summary>A Python exception comes back.</summary>
    internal const int Raise = 2;

    /// <summary>What C# threw, by the address of the Python exception that stands for it.</summary>
    private static readonly ConcurrentDictionary<IntPtr, Exception> Thrown = new();

    [ThreadStatic]
    private static PythonException? _passing;

    [ThreadStatic]
    private static Exception? _kept;

    [ThreadStatic]
    private static byte* _text;

    /// <summary>
    /// A Python exception enters .NET: what is to be thrown. One that stands for what C# threw is that again, so that attaching a Python hook
    /// does not change what C# catches.
    /// </summary>
    internal static Exception Raised(IntPtr exception, bool interrupt)
    {
        _passing = interrupt ? new PythonInterrupt(exception) : new PythonException(exception);
        return Thrown.TryGetValue(exception, out var thrown) ? _passing.StandsFor = thrown : _passing;
    }

    /// <summary>The Python exception at this address stands for the kept one, until <see cref="StandsNoMore"/>.</summary>
    internal static void StandsFor(IntPtr exception) => Thrown[exception] = _kept!;

    /// <summary>The Python exception at this address is gone.</summary>
    internal static void StandsNoMore(IntPtr exception) => Thrown.TryRemove(exception, out _);

    /// <summary>An export begins. What an outer one was waiting for is put aside.</summary>
    internal static PythonException? Enter()
    {
        var outer = _passing;
        _passing = null;
        return outer;
    }

    /// <summary>An export ends well. An interrupt that C# swallowed is raised all the same.</summary>
    internal static int Leave(PythonException? outer)
    {
        var swallowed = _passing;
        _passing = outer;
        if (swallowed is not PythonInterrupt) return Ok;
        _kept = swallowed;
        return Raise;
    }

    /// <summary>An export ends with an exception.</summary>
    internal static int Fail(Exception exception, PythonException? outer)
    {
        // .NET wraps what a constructor threw; nobody wants to read that.
        if (exception is System.Reflection.TargetInvocationException { InnerException: { } inner }) exception = inner;
        var passing = _passing;
        _passing = outer;
        if (exception is PythonException || passing is PythonInterrupt || (passing is not null && passing.StandsFor == exception))
        {
            _kept = exception is PythonException ? exception : passing;
            return Raise;
        }

        if (passing is not null) exception.Data["bridge.cause"] = passing;
        _kept = exception;
        return Failed;
    }

    /// <summary>The Python exception of a <see cref="Raise"/>, or the one that was passing when another was thrown (its cause); borrowed.</summary>
    internal static IntPtr PythonObject => _kept switch
    {
        PythonException python => python.Object,
        { } other when other.Data["bridge.cause"] is PythonException cause => cause.Object,
        _ => IntPtr.Zero,
    };

    /// <summary>JSON of the kept exception: type, message, stack, module. Valid until the thread's next failure.</summary>
    internal static byte* Describe(int* length)
    {
        var exception = _kept ?? new InvalidOperationException("no failure is kept");
        torch.nn.Module.Failures.TryGetValue(exception, out var module);
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartObject();
            json.WriteString("type", exception.GetType().FullName);
            json.WriteString("message", exception.Message);
            json.WriteString("stack", Stack(exception));
            json.WriteNumber("module", module?.Id ?? 0);
            json.WriteString("module_type", module?.GetType().Name ?? "");
            json.WriteString("kind", exception switch
            {
                InsufficientExecutionStackException => "recursion",
                InvalidCastException or ArgumentNullException => "type",
                Hooks.INotAnError => "interrupt",
                _ => "error",
            });
            json.WriteEndObject();
        }

        NativeMemory.Free(_text);
        _text = (byte*)NativeMemory.Alloc((nuint)stream.Length);
        stream.ToArray().CopyTo(new Span<byte>(_text, (int)stream.Length));
        *length = (int)stream.Length;
        return _text;
    }

    /// <summary>Forgets the kept exception.</summary>
    internal static void Clear() => _kept = null;

    // A recursion's stack has tens of thousands of lines; its ends say it.
    private static string Stack(Exception exception)
    {
        var lines = (exception.StackTrace ?? "").Split('\n');
        const int ends = 30;
        return lines.Length <= 2 * ends ? string.Join('\n', lines)
            : string.Join('\n', lines.Take(ends).Append($"   … {lines.Length - 2 * ends} more frames …").Concat(lines.TakeLast(ends)));
    }
}
