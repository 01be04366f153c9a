using System.Linq.Expressions;
using System.Reflection;

namespace Bridge.Torch;

/// <summary>A Python function that C# can call. It can be passed for a parameter of a delegate type.</summary>
internal abstract class CallableFromPython
{
    private static readonly MethodInfo Method =
        typeof(CallableFromPython).GetMethod(nameof(CallUnpacked), BindingFlags.Instance | BindingFlags.NonPublic)!;

    /// <summary>Calls the function. The arguments and the result are plain values (see <see cref="Tuples"/>).</summary>
    internal abstract object? Call(object?[] arguments);

    /// <summary>Returns a delegate that calls the function.</summary>
    /// <exception cref="InvalidCastException">The delegate has a parameter passed by reference.</exception>
    internal Delegate ToDelegate(Type type)
    {
        var invoke = type.GetMethod("Invoke")!;
        if (invoke.GetParameters().Any(parameter => parameter.ParameterType.IsByRef))
            throw new InvalidCastException($"A Python function cannot be a {CSharpTypeName.Of(type)}, which has a parameter by reference.");
        var parameters = invoke.GetParameters()
            .Select(parameter => Expression.Parameter(parameter.ParameterType, parameter.Name)).ToArray();
        var boxed = parameters.Select(parameter => Expression.Convert(parameter, typeof(object)));
        Expression body = Expression.Call(Expression.Constant(this), Method, Expression.NewArrayInit(typeof(object), boxed));
        if (invoke.ReturnType != typeof(void))
        {
            var packer = Expression.Constant(Tuples.Packer(invoke.ReturnType));
            body = Expression.Convert(Expression.Invoke(packer, body), invoke.ReturnType);
        }

        return Expression.Lambda(type, body, parameters).Compile();
    }

    private object? CallUnpacked(object?[] arguments) => Call(arguments.Select(Tuples.Unpack).ToArray());
}
