using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>The types of a module's arguments and result.</summary>
internal static class Signature
{
    /// <summary>
    /// Returns the types of the arguments, then of the result. Null if the class derives neither from a <c>Module</c> with one argument nor
    /// from one with three.
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
