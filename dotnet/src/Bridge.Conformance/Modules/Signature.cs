using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>The types of a module's arguments and result.</summary>
internal static class Signature
{
    /// <summary>
    /// Returns the types of the arguments, then of the result. Returns null if the class derives neither from
    /// <c>Module&lt;T, TResult&gt;</c> nor from <c>Module&lt;T1, T2, T3, TResult&gt;</c>.
    /// </summary>
    internal static Type[]? Types(Type type)
    {
        for (var level = type; level is not null; level = level.BaseType)
        {
            if (!level.IsGenericType) continue;
            var open = level.GetGenericTypeDefinition();
            if (open == typeof(Module<,>) || open == typeof(Module<,,,>)) return level.GetGenericArguments();
        }

        return null;
    }
}
