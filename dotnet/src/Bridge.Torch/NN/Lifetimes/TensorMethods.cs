using System.Reflection;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>The methods whose calls <see cref="UseAnalysis"/> understands without reading their code.</summary>
internal static class TensorMethods
{
    // Types of this project whose methods run no code of the user, apart from methods that take a delegate and those below.
    private static readonly HashSet<Type> Plain =
        [typeof(Tensor), typeof(torch), typeof(nn.functional), typeof(special), typeof(fft), typeof(linalg), typeof(Scalar),
            typeof(TensorIndex), typeof(TensorExtensionMethods), typeof(ScalarExtensionMethods)];

    private static readonly HashSet<string> RunsOthers = [nameof(Tensor.backward), nameof(Tensor.register_hook)];

    private static readonly HashSet<string> Reads =
        ["get_shape", "get_ndim", "get_dtype", "get_device", "get_device_type", "get_device_index", "get_requires_grad", "get_is_cuda",
            "dim", "size", "numel", "is_floating_point", "is_complex", "is_contiguous"];

    private static readonly HashSet<string> WithNumber = ["add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge"];

    private static readonly HashSet<Type> Framework =
        [typeof(object), typeof(Math), typeof(MathF), typeof(Nullable<>), typeof(Index), typeof(Range), typeof(Array),
            typeof(System.Runtime.CompilerServices.RuntimeHelpers)];

    private static readonly HashSet<string> OfList = ["get_Item", "get_Count", "set_Item", "Add", "ToArray", ".ctor"];

    /// <summary>Returns whether a type is one of the base classes of callable modules.</summary>
    internal static bool IsCallable(Type type) => type is { IsGenericType: true, Name: ['M', 'o', 'd', 'u', 'l', 'e', '`', ..] }
        && type.DeclaringType == typeof(nn) && type.Assembly == typeof(nn).Assembly;

    /// <summary>Returns whether a method is <c>call</c> of a module.</summary>
    internal static bool IsCall(MethodBase method) => method.Name == "call" && IsOurs(method) && typeof(nn.Module).IsAssignableFrom(
        method.DeclaringType);

    /// <summary>Returns whether a method reads a property of a tensor other than its elements.</summary>
    internal static bool IsRead(MethodBase method) => method.DeclaringType == typeof(Tensor) && Reads.Contains(method.Name)
        && method is MethodInfo read && read.ReturnType != typeof(Tensor);

    /// <summary>Returns whether a method reads a setting or child of a built-in module.</summary>
    internal static bool IsSetting(MethodBase method) => IsOurs(method) && typeof(nn.Module).IsAssignableFrom(method.DeclaringType)
        && method.Name.StartsWith("get_", StringComparison.Ordinal) && IsFixed(method);

    /// <summary>Returns whether no derived class can override the method.</summary>
    internal static bool IsFixed(MethodBase method) => !method.IsVirtual || method.IsFinal || method.DeclaringType is { IsSealed: true };

    /// <summary>Returns whether a method of this project only converts numbers.</summary>
    internal static bool IsConversion(MethodBase method) => method.DeclaringType == typeof(Sizes)
        || method.DeclaringType == typeof(Scalar) && (method.IsConstructor || method.Name == "op_Implicit")
        || method.DeclaringType == typeof(TensorIndex);

    internal static bool IsOurs(MemberInfo member) => member.DeclaringType?.Assembly == typeof(Tensor).Assembly;

    /// <summary>Returns whether a method of this project runs no code of the user.</summary>
    internal static bool IsPlain(MethodBase method) => method.DeclaringType is { } type && Plain.Contains(type)
        && !RunsOthers.Contains(method.Name)
        && !method.GetParameters().Any(parameter => typeof(Delegate).IsAssignableFrom(parameter.ParameterType));

    /// <summary>Returns whether a method of .NET runs no code of the user.</summary>
    internal static bool IsOfFramework(MethodBase method)
    {
        if (method.DeclaringType is not { } type || type.Assembly != typeof(object).Assembly) return false;
        var definition = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
        return Framework.Contains(definition) && (definition != typeof(object) || method.IsConstructor)
            || typeof(Exception).IsAssignableFrom(type) && method.IsConstructor
            || definition.FullName!.StartsWith("System.ValueTuple`", StringComparison.Ordinal) && method.IsConstructor
            || definition == typeof(List<>) && OfList.Contains(method.Name);
    }

    /// <summary>
    /// Returns the uses of a method that runs one operator; null for other methods. Its Tensor parameters are the operator's, and each is
    /// passed once.
    /// </summary>
    internal static MethodUses? OfOperator(MethodBase method)
    {
        if (method.DeclaringType == typeof(Tensor))
        {
            // These end the use of both operands, and their result is not freed early.
            if (method is { IsStatic: true, Name: "Plus" or "Subtract" })
                return new(true, 3, 0, 0, 0, TensorOrigins.None, TensorOrigins.None);
            // These pass this tensor, and the number as a tensor, to one operator.
            if (!method.IsStatic && WithNumber.Contains(method.Name) && method.GetParameters() is [_, ..] parameters
                && parameters.All(parameter => parameter.ParameterType == typeof(Scalar)))
                return new(true, 1, 0, 0, 0, TensorOrigins.Operator, TensorOrigins.None);
        }

        if (!IsOurs(method) || method.GetCustomAttribute<AtenAttribute>() is not { } aten || method is not MethodInfo { } info) return null;
        var values = aten.Mapping.Split(',').Select(part => part.Split('=')[^1].Trim().TrimStart('@')).ToArray();
        var shift = method.IsStatic ? 0 : 1;
        var (consumed, escaped) = (method.IsStatic ? 0u : 1u, 0u);
        foreach (var parameter in method.GetParameters())
        {
            if (parameter.ParameterType != typeof(Tensor)) continue;
            var bit = 1u << (parameter.Position + shift);
            if (values.Count(value => value == parameter.Name) == 1) consumed |= bit;
            else escaped |= bit;
        }

        if (shift == 1 && values.Count(value => value is "self" or "this") != 1) (consumed, escaped) = (consumed & ~1u, escaped | 1);
        var returned = aten.Operator.Split('.')[0].EndsWith('_') ? 1u : 0;
        return new(true, consumed & ~returned, escaped, 0, returned,
            info.ReturnType == typeof(Tensor) && returned == 0 ? TensorOrigins.Operator : TensorOrigins.None, TensorOrigins.None);
    }
}
