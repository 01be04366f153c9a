using System.Collections.Concurrent;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>The parameters of a module type's <c>forward</c>.</summary>
internal static class ForwardParameters
{
    private static readonly ConcurrentDictionary<Type, string[]> Known = [];

    /// <summary>Names as the most derived override declares them.</summary>
    internal static string[] Of(Type module, params Type[] types) =>
        Known.GetOrAdd(module, static (type, arguments) => type.GetMethod("forward", arguments)!.GetParameters().Select(parameter => parameter.Name!).ToArray(), types);

    internal static ArgumentException Wrong(torch.nn.Module module, int given)
    {
        var names = module.ParameterNames!;
        return new ArgumentException($"{module.GetType().Name}.forward takes {names.Length} argument(s) ({string.Join(", ", names)}), {given} given.");
    }
}
