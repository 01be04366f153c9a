using System.Globalization;
using System.Text;
using TorchSharp;

namespace Bridge.Torch.Native;

/// <summary>An argument of an operator, as the running torch declares it.</summary>
/// <param name="Name">The name, such as <c>dims</c>.</param>
/// <param name="Type">
/// T tensor, I int, F float, B bool, N number, S string, D dtype, V device, L layout, M memory format, G generator, X any other type. The
/// suffix <c>?</c> stands for optional, <c>[]</c> for a list.
/// </param>
/// <param name="Default">
/// The default as text: <c>None</c>, <c>true</c>, <c>1</c>, <c>0.5</c>, <c>[1,1]</c>, or a string after an apostrophe. Empty if there is no
/// default.
/// </param>
internal sealed record Argument(string Name, string Type, string Default);

/// <summary>
/// The operator schemas of the running torch. They are not compiled into this library, because a newer torch may add an argument to an
/// operator, and would read that argument beyond the end of the stack.
/// </summary>
internal static class Schemas
{
    // The dictionary never changes once it is assigned. A thread that reads the reference also sees the contents: in .NET, a write of a
    // reference has release semantics.
    private static Dictionary<string, (Argument[] Arguments, int Returns)> _known = [];

    /// <summary>
    /// Reads schemas, one per line: <c>aten::name.overload TAB number of results TAB name:type:default TAB …</c>. Python writes them
    /// (<c>bridge.clr.start.schemas</c>) once per process, or into a file for a process without Python.
    /// </summary>
    internal static void Read(string text)
    {
        var known = new Dictionary<string, (Argument[], int)>();
        foreach (var line in text.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            var fields = line.Split('\t');
            var arguments = fields.Skip(2).Select(field =>
            {
                var parts = field.Split(':', 3);
                return new Argument(parts[0], parts[1], parts[2]);
            }).ToArray();
            known[fields[0]] = (arguments, int.Parse(fields[1], CultureInfo.InvariantCulture));
        }

        _known = known;
    }

    internal static (Argument[] Arguments, int Returns) Get(string name) =>
        _known.TryGetValue(name, out var schema)
            ? schema : throw new NotSupportedException(name.StartsWith("bridge::", StringComparison.Ordinal)
            ? $"Python registers the operator '{name}', which libtorch's stable ABI lacks, and this process has no Python."
            : $"The running torch has no operator '{name}', or its schema was not provided.");

    /// <summary>
    /// Returns the operator that Python registers in place of one with a Scalar or a Generator (<c>bridge.clr.start.scalar_operators</c>).
    /// </summary>
    internal static string Replacement(string name, char kind)
    {
        var parts = name[(name.IndexOf(':', StringComparison.Ordinal) + 2)..].Split('.');
        var replacement = $"bridge::{parts[0]}__{(parts.Length > 1 ? parts[1] : "default")}__{char.ToLowerInvariant(kind)}";
        return _known.ContainsKey(replacement) ? replacement
            : throw new NotSupportedException(
                $"'{name}' takes a {(kind == 'G' ? "Generator" : "Scalar")}, which libtorch's stable ABI cannot carry. Its replacement "
                + $"'{replacement}' is registered by Python, and this process has no Python.");
    }
}

/// <summary>An overload of an operator, with the arguments that the caller supplies, in the caller's order.</summary>
internal sealed unsafe class Op(string name, params string[] supplied)
{
    private Plan? _plan, _floats, _integers, _bools, _generator;

    internal string Name => name;

    /// <summary>Gets the plan of a call without a Scalar or Generator.</summary>
    internal Plan Plan => _plan ??= Build('\0');

    /// <summary>
    /// Returns the plan that takes the numbers as floats if one is a float, as bools if all are bools, otherwise as integers. The default
    /// of a Scalar that is not supplied counts as a number, too. A null is ignored; if all are null, returns <see cref="Plan"/>.
    /// </summary>
    /// <exception cref="NotSupportedException">A number is complex, or this process has no Python.</exception>
    internal Plan For(params ReadOnlySpan<Scalar?> scalars)
    {
        var (given, anyFloat, allBools) = (false, false, true);
        foreach (var scalar in scalars)
        {
            if (scalar is null) continue;
            given = true;
            if (scalar.IsComplex)
                throw new NotSupportedException($"'{name}' cannot take a complex Scalar: libtorch's stable ABI carries none.");
            anyFloat |= scalar.IsReal;
            allBools &= scalar.IsBool;
        }

        if (!given) return Plan;
        return anyFloat ? _floats ??= Build('F') : allBools ? _bools ??= Build('B') : _integers ??= Build('I');
    }

    /// <summary>Returns the plan of a call with a generator; for null or the default generator, <see cref="Plan"/>.</summary>
    internal Plan With(torch.Generator? generator) => generator?.State is null ? Plan : _generator ??= Build('G');

    /// <param name="kind">
    /// F, I or B if a float, int or bool replaces each Scalar; G if a state replaces the Generator; '\0' if the caller passes neither.
    /// </param>
    private Plan Build(char kind)
    {
        Abi.Require();
        var (arguments, returns) = Schemas.Get(name);
        var positions = supplied.Select(wanted =>
        {
            var at = Array.FindIndex(arguments, argument => argument.Name == wanted);
            return at >= 0 ? at : throw new NotSupportedException(
                $"'{name}' of the running torch has no argument '{wanted}' (it has {string.Join(", ", arguments.Select(a => a.Name))}).");
        }).ToArray();
        var scalarDefaults = Enumerable.Range(0, arguments.Length).Except(positions)
            .Where(at => arguments[at].Type[0] == 'N' && arguments[at].Default is not ("" or "None")).ToArray();
        if (kind is 'I' or 'B' or '\0' && scalarDefaults.Length > 0)
            kind = scalarDefaults.All(at => long.TryParse(arguments[at].Default, CultureInfo.InvariantCulture, out _)) ? 'I' : 'F';
        var called = name;
        if (kind != '\0')
        {
            called = Schemas.Replacement(name, kind);
            arguments = arguments.Select(argument => kind == 'G'
                ? argument.Type[0] == 'G' ? argument with { Type = "T" } : argument
                : argument.Type[0] == 'N' ? argument with { Type = kind + argument.Type[1..] } : argument).ToArray();
        }

        return new Plan(name, called, arguments, positions, Math.Max(Math.Max(arguments.Length, returns), 1));
    }
}

/// <summary>The data for calls of an operator on the running torch: names, argument positions and defaults.</summary>
internal sealed unsafe class Plan
{
    internal readonly string Title;
    internal readonly byte* Name;
    internal readonly byte* Overload;
    internal readonly Argument[] Arguments;

    /// <summary>The position in the schema of each argument that the caller supplies, in the caller's order.</summary>
    internal readonly int[] Positions;

    /// <summary>A bit mask of the stack slots that accept None.</summary>
    internal readonly ulong Optional;

    /// <summary>Whether the operator writes into an argument, which its caller may return.</summary>
    internal readonly bool Writes;

    /// <summary>The defaults for the slots that the caller does not set.</summary>
    internal readonly DefaultValue[] Defaults;

    /// <summary>The number of stack slots: libtorch reads the arguments from slot 0 on and writes the results from slot 0 on.</summary>
    internal readonly int Slots;

    private readonly string _called;
    // A reference, because another thread could read a two-word value when only one word is written.
    private Tuple<IntPtr, IntPtr>? _function;

    /// <summary>
    /// Gets the function to call in a torch function mode (<see cref="TorchFunctionMode"/>): the operator that calls PyTorch's
    /// public function, or this operator itself if there is none.
    /// </summary>
    internal (IntPtr Name, IntPtr Overload) Function
    {
        get
        {
            var (called, overload) = _function ??= TorchFunctionMode.PublicOperator(_called) is { } found && found != _called
                ? new(Utf8(found), Utf8(""))
                : new((IntPtr)Name, (IntPtr)Overload);
            return (called, overload);
        }
    }

    /// <param name="title">The operator's name in messages.</param>
    /// <param name="called">The operator that is called.</param>
    /// <param name="arguments">The operator's arguments.</param>
    /// <param name="positions">See <see cref="Positions"/>.</param>
    /// <param name="slots">See <see cref="Slots"/>.</param>
    internal Plan(string title, string called, Argument[] arguments, int[] positions, int slots)
    {
        var dot = called.IndexOf('.', StringComparison.Ordinal);
        Title = title;
        _called = called;
        Name = (byte*)Utf8(dot < 0 ? called : called[..dot]);
        Overload = (byte*)Utf8(dot < 0 ? "" : called[(dot + 1)..]);
        Arguments = arguments;
        Positions = positions;
        Slots = slots;
        Writes = title.Split('.')[0].EndsWith('_') || Array.Exists(arguments, argument => argument.Name == "out");
        for (var slot = 0; slot < arguments.Length; slot++)
            if (arguments[slot].Type.EndsWith('?')) Optional |= 1UL << slot;
        Defaults = Enumerable.Range(0, arguments.Length).Except(positions)
            .Select(slot => DefaultValue.Parse(title, slot, arguments[slot])).ToArray();
    }

    // Allocates memory that is never freed: a plan lives as long as the process.
    private static IntPtr Utf8(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        var memory = (byte*)System.Runtime.InteropServices.NativeMemory.AllocZeroed((nuint)bytes.Length + 1);
        bytes.CopyTo(new Span<byte>(memory, bytes.Length));
        return (IntPtr)memory;
    }
}

/// <summary>The default of one argument, parsed once. A list or string is created for each call, because libtorch consumes it.</summary>
internal sealed class DefaultValue(int slot, ulong bits, long[]? items, string? text, bool boxed)
{
    internal readonly int Slot = slot;
    internal readonly ulong Bits = bits;
    internal readonly long[]? Items = items;
    internal readonly string? Text = text;

    /// <summary>Whether libtorch expects the value in a heap cell (<see cref="Abi.Cell"/>), because the argument is optional.</summary>
    internal readonly bool Boxed = boxed;

    internal static DefaultValue Parse(string title, int slot, Argument argument)
    {
        var text = argument.Default;
        if (text.Length == 0)
            throw new NotSupportedException($"'{title}' of the running torch needs '{argument.Name}', which Bridge.Torch does not pass.");
        if (text == "None") return new(slot, 0, null, null, false);
        var boxed = argument.Type.EndsWith('?');
        if (text[0] == '[')
            return new(slot, 0, text.Length == 2 ? []
                : text[1..^1].Split(',').Select(item => Value(argument.Type[0], item)).ToArray(), null, boxed);
        if (argument.Type[0] == 'S') return new(slot, 0, null, text[1..], boxed);
        return argument.Type[0] == 'N'
            ? throw new NotSupportedException($"'{title}': the argument '{argument.Name}' is a Scalar, which the stable ABI cannot carry.")
            : new(slot, (ulong)Value(argument.Type[0], text), null, null, boxed);
    }

    private static long Value(char type, string text) => type switch
    {
        'F' => BitConverter.DoubleToInt64Bits(double.Parse(text, CultureInfo.InvariantCulture)),
        'B' => text == "true" ? 1 : 0,
        _ => long.Parse(text, CultureInfo.InvariantCulture),
    };
}
