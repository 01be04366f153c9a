using System.Globalization;
using System.Numerics;
using Bridge.Hooks;

namespace Bridge.Trace.Tool.Reading;

/// <summary>Represents a rule for the value of a field.</summary>
/// <param name="IsValid">Returns whether a JSON value is valid.</param>
/// <param name="Words">A description of valid values, to follow <c>should be</c>.</param>
/// <param name="Optional">Whether a file may lack the field.</param>
internal sealed record FieldRule(Predicate<object?> IsValid, string Words, bool Optional = false);

/// <summary>Contains the fields of each line, in the order of the file, with their rules.</summary>
internal static class FieldRules
{
    private static readonly BigInteger MaxInt = int.MaxValue;
    private static readonly FieldRule Text = new(value => value is string, "a string");
    private static readonly FieldRule Texts = new(
        value => value is List<object?> items && items.All(item => item is string), "an array of strings");
    private static readonly FieldRule DigestOrNull = new(
        value => value is null || value is string text && IsDigest(text, 32), "null or 32 lower-case hexadecimal digits");
    private static readonly FieldRule Digests = new(
        value => value is JsonObject found && found.Members.All(member => member.Value is string text && IsDigest(text, 32)),
        "an object of digests (32 lower-case hexadecimal digits each)");
    private static readonly FieldRule Small = Integer(0, MaxInt);
    private static readonly FieldRule Call = Integer(-1, MaxInt);

    internal static FieldRule Kind { get; } = OneOf("tensor", "none", "int", "float", "bool", "str", "object");

    internal static FieldRule Object { get; } = new(value => value is JsonObject, "an object");

    internal static FieldRule Schema { get; } = Integer(1);

    internal static IReadOnlyList<(string Name, FieldRule Rule)> Header { get; } =
    [
        ("schema", Schema), ("runtime", Text), ("runtime_version", Text), ("bridge", Text), ("torch", Text), ("python", Text),
        ("dotnet", new(value => value is null or string, "a string or null")),
        ("device", Text), ("threads", Integer(0)), ("seed", new(value => value is BigInteger, "an integer")), ("modules", Integer(0)),
        ("values", OneOf("none", "digest", "full")),
        ("roots", Texts), ("unseen", Texts with { Optional = true }), ("inputs", Digests), ("weights", Digests),
    ];

    internal static IReadOnlyList<(string Name, FieldRule Rule)> Event { get; } =
    [
        ("seq", Small), ("path", Text), ("type", Text), ("phase", OneOf(TraceEvent.Pre, TraceEvent.Forward, TraceEvent.Bypass)),
        ("call", Call), ("parent", Call), ("hook", Small), ("scope", OneOf("global", "module")),
        ("values", new(value => value is List<object?>, "an array")),
    ];

    internal static IReadOnlyList<(string Name, FieldRule Rule)> Footer { get; } =
    [
        ("events", Integer(0)), ("known", Integer(0)),
        ("digest", new(value => value is string text && IsDigest(text, 64), "64 lower-case hexadecimal digits")),
    ];

    internal static IReadOnlyList<(string Name, FieldRule Rule)> Tensor { get; } =
    [
        ("kind", Kind), ("shape", new(value => value is List<object?> sizes && sizes.All(IsSize), "an array of sizes")),
        ("dtype", Text), ("device", Text), ("digest", DigestOrNull), ("data", DigestOrNull),
    ];

    /// <summary>Returns the fields of a value that is not a tensor.</summary>
    internal static IReadOnlyList<(string Name, FieldRule Rule)> Literal(string kind) => kind switch
    {
        "int" => Of(new(value => value is null or BigInteger, "an integer or null")),
        "float" => Of(new(IsFloat, "null, 'NaN', 'Infinity', '-Infinity' or a number with a point or exponent")),
        "bool" => Of(new(value => value is null or bool, "true, false or null")),
        "str" => Of(new(value => value is null or string, "a string or null")),
        _ => [("kind", Kind)],
    };

    /// <summary>Returns a JSON value for a message.</summary>
    internal static string Describe(object? value) => value switch
    {
        null => "null",
        bool known => known ? "true" : "false",
        string text => Shorten(TraceText.Quoted(text)),
        BigInteger number => Shorten(number.ToString(CultureInfo.InvariantCulture)),
        double number => TraceText.Real(number).Trim('"'),
        JsonObject => "an object",
        _ => "an array",
    };

    internal static string Shorten(string text) => text.Length <= 80 ? text : text[..80] + "…";

    internal static bool IsDigest(string text, int digits) => text.Length == digits && !text.AsSpan().ContainsAnyExcept("0123456789abcdef");

    private static (string, FieldRule)[] Of(FieldRule literal) => [("kind", Kind), ("literal", literal)];

    private static bool IsFloat(object? value) =>
        value is null or "NaN" or "Infinity" or "-Infinity" || value is double number && double.IsFinite(number);

    private static bool IsSize(object? value) => value is BigInteger size && size >= 0 && size <= long.MaxValue;

    private static FieldRule Integer(BigInteger low, BigInteger? high = null) => new(
        value => value is BigInteger number && number >= low && (high is null || number <= high),
        high is null ? $"an integer of at least {low}" : $"an integer from {low} to {high}");

    private static FieldRule OneOf(params string[] names) => new(
        value => value is string text && names.Contains(text), string.Join(" or ", names.Select(name => $"'{name}'")));
}
