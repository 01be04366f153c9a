using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>What a module takes and gives.</summary>
internal static class Signature
{
    /// <summary>The type arguments of the <c>Module&lt;…&gt;</c> that a module derives from: its arguments, then its result; null if it has no <c>forward</c>.</summary>
    internal static Type[]? Arguments(Type type)
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
