using System.Collections.Immutable;

namespace TorchSharp.Reference;

/// <summary>
/// A type with the compiler's marks of nullability: 1 is not null (written <c>!</c>), 2 may be null (<c>?</c>), 0 is oblivious.
/// </summary>
/// <param name="Name">The name; empty for an array, a reference and a pointer, whose one argument is the element.</param>
/// <param name="Arguments">The type arguments, or the element.</param>
/// <param name="HasMark">Whether an attribute has a byte for the type: it has none for a value type without arguments.</param>
/// <param name="Suffix">What follows the element: <c>[]</c>, <c>&amp;</c>, <c>*</c>.</param>
/// <param name="Position">The position of a class's type parameter, or -1.</param>
/// <param name="Mark">The mark.</param>
internal sealed record MarkedType(
    string Name, ImmutableArray<MarkedType> Arguments, bool HasMark, string Suffix = "", int Position = -1, byte Mark = 0)
{
    /// <summary>Returns the type with the bytes of an attribute, of which one stands for all, as marks.</summary>
    internal MarkedType With(IReadOnlyList<byte> bytes)
    {
        var next = 0;
        return Next(this);

        MarkedType Next(MarkedType type)
        {
            var mark = !type.HasMark ? (byte)0 : bytes.Count == 1 ? bytes[0] : next < bytes.Count ? bytes[next++] : (byte)0;
            return type with { Mark = mark, Arguments = [.. type.Arguments.Select(Next)] };
        }
    }

    /// <summary>Returns the type with type arguments in place of the type parameters of its class.</summary>
    internal MarkedType Of(IReadOnlyList<MarkedType>? arguments)
    {
        if (arguments is null) return this;
        if (Position < 0) return this with { Arguments = [.. Arguments.Select(argument => argument.Of(arguments))] };
        var own = arguments[Position];
        return Mark == 2 && own.HasMark ? own with { Mark = 2 } : own;
    }

    /// <summary>Returns the type without the marks where another is oblivious.</summary>
    internal MarkedType WhereMarked(MarkedType other) => this with
    {
        Mark = other.Mark == 0 ? (byte)0 : Mark,
        Arguments = Arguments.Length == other.Arguments.Length
            ? [.. Arguments.Zip(other.Arguments, (own, theirs) => own.WhereMarked(theirs))]
            : Arguments,
    };

    /// <inheritdoc/>
    public override string ToString()
    {
        var arguments = string.Join(",", Arguments);
        var text = Name.Length == 0 ? arguments : arguments.Length == 0 ? Name : $"{Name}<{arguments}>";
        return text + Suffix + Mark switch { 1 => "!", 2 => "?", _ => "" };
    }
}
