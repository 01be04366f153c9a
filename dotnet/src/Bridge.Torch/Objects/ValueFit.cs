using System.Reflection;
using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>
/// Measures how closely plain values (<see cref="Tuples"/>) fit declared types, by the order in which C# prefers conversions.
/// </summary>
internal static class ValueFit
{
    // C# prefers int to long, long to a real type, and float to double, for an integer.
    private static readonly TypeCode[] IntegerOrder =
    [
        TypeCode.Int32, TypeCode.Int64, TypeCode.UInt32, TypeCode.UInt64, TypeCode.Int16, TypeCode.UInt16, TypeCode.SByte, TypeCode.Byte,
        TypeCode.Single, TypeCode.Double, TypeCode.Decimal,
    ];

    private static readonly TypeCode[] RealOrder = [TypeCode.Double, TypeCode.Single, TypeCode.Decimal];

    // In the lists above, a type's distance is its position. These distances, of other conversions, are greater.
    private const int ByMembers = 12, ToEnum = 20, ByOperator = 24, ToObject = 30;

    /// <summary>Returns the distance of a value from a type: 0 for the closest type; null if the value does not fit.</summary>
    internal static int? Distance(object? value, Type type)
    {
        var target = Nullable.GetUnderlyingType(type) ?? type;
        if (value is null) return type.IsValueType && target == type ? null : 0;
        if (target == typeof(object)) return ToObject;
        return value switch
        {
            object?[] items when TupleTypes(target) is { } types => OfTuple(items, types),
            object?[] items => OfItems(items, target),
            // Arguments of constructors come as JSON, in which a tuple is a list.
            ListOfValues list when TupleTypes(target) is { } types => OfTuple(list.Items, types),
            ListOfValues list => OfItems(list.Items, target),
            DictOfValues map => OfDictionary(map, target),
            CallableFromPython => typeof(Delegate).IsAssignableFrom(target) ? 0 : null,
            // By the order of C#, in which an integer is nearer to int than to long.
            long or double when target.IsPrimitive => OfScalar(value, target),
            _ when target.IsInstanceOfType(value) => Inheritance(value.GetType(), target),
            _ => OfScalar(value, target),
        };
    }

    /// <summary>
    /// Returns the type arguments of a tuple type, of which the eighth is a tuple of the items after the seventh; null for any other type.
    /// </summary>
    private static Type[]? TupleTypes(Type type) =>
        type.IsGenericType && typeof(ITuple).IsAssignableFrom(type) ? type.GetGenericArguments() : null;

    private static int? OfTuple(object?[] items, Type[] types)
    {
        if (types.Length == 8 && items.Length >= 8) items = [.. items[..7], items[7..]];
        return items.Length == types.Length ? Worst(items.Zip(types, Distance)) : null;
    }

    private static int? OfItems(object?[] items, Type target) =>
        Tuples.ElementOf(target) is { } element
            ? Worst(items.Select(item => Distance(item, element))) + (target.IsArray ? 0 : 1) : null;

    private static int? OfDictionary(DictOfValues map, Type target) =>
        Tuples.MapValueOf(target) is { } value ? Worst(map.Items.Select(item => Distance(item.Value, value)))
        : ObjectPacker.CanCreate(target) ? ByMembers : null;

    private static int? OfScalar(object value, Type target)
    {
        if (target.IsEnum) return value is string name ? (Enum.IsDefined(target, name) ? ToEnum : null) : OfEnumNumber(value, target);
        int? distance = value switch
        {
            long integer => Position(IntegerOrder, target, integer),
            double => Position(RealOrder, target, null) ?? (target == typeof(Half) ? RealOrder.Length : null),
            string { Length: 1 } when target == typeof(char) => 1,
            _ => null,
        };
        return distance ?? (ImplicitOperator(value, target) is null ? null : ByOperator);
    }

    private static int? OfEnumNumber(object value, Type target) =>
        value is long number && Enum.IsDefined(target, Enum.ToObject(target, number)) ? ToEnum : null;

    private static int? Position(TypeCode[] order, Type target, long? integer)
    {
        var position = Array.IndexOf(order, Type.GetTypeCode(target));
        if (position < 0) return integer is not null && target == typeof(Half) ? order.Length : null;
        return integer is { } value && !IsInRange(value, Type.GetTypeCode(target)) ? null : position;
    }

    private static bool IsInRange(long value, TypeCode code) => code switch
    {
        TypeCode.Int32 => value is >= int.MinValue and <= int.MaxValue,
        TypeCode.UInt32 => value is >= 0 and <= uint.MaxValue,
        TypeCode.UInt64 => value >= 0,
        TypeCode.Int16 => value is >= short.MinValue and <= short.MaxValue,
        TypeCode.UInt16 => value is >= 0 and <= ushort.MaxValue,
        TypeCode.SByte => value is >= sbyte.MinValue and <= sbyte.MaxValue,
        TypeCode.Byte => value is >= 0 and <= byte.MaxValue,
        _ => true,
    };

    /// <summary>
    /// Returns the implicit conversion operator of a type, such as TorchSharp's Scalar or Device, for a number, text or bool; null if there
    /// is none. Also null for Tensor: a number does not fit a tensor (F-2), although C# would convert the number.
    /// </summary>
    internal static MethodInfo? ImplicitOperator(object value, Type target) =>
        value is long or double or string or bool && !target.IsPrimitive && target != typeof(decimal) && target != typeof(Half)
        && target.FullName != "TorchSharp.torch+Tensor"
            ? target.GetMethod("op_Implicit", [value.GetType()]) is { } found && found.ReturnType == target ? found : null
            : null;

    private static int Inheritance(Type type, Type target)
    {
        if (target.IsInterface) return 8;
        var depth = 0;
        for (var level = type; level is not null && level != target; level = level.BaseType) depth++;
        return depth;
    }

    private static int? Worst(IEnumerable<int?> distances)
    {
        var worst = 0;
        foreach (var distance in distances)
        {
            if (distance is not { } known) return null;
            worst = Math.Max(worst, known);
        }

        return worst;
    }
}
