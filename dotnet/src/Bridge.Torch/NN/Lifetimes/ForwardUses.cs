using System.Reflection;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>What the <c>forward</c> of a user's module class does with tensors.</summary>
/// <remarks>
/// .NET has no reference counts. The code of a method shows some of what they would tell: in <c>bn.call(conv.call(x))</c>, nothing refers
/// to the result of <c>conv</c> after the call of <c>bn</c>. <see cref="UseAnalysis"/> follows each tensor through the method. If each
/// result of a module or operator is used only once, such a result can be freed as soon as it has been used.
/// </remarks>
internal static class ForwardUses
{
    private static readonly TypeCache<MethodUses> Known = new(Find);

    /// <summary>Returns the uses of the method that a module's <c>call</c> runs.</summary>
    internal static MethodUses Of(Type module) => Known[module];

    private static MethodUses Find(Type module)
    {
        if (ObjectGraph.IsForeign(module.Assembly) || ForwardOverloads.Added(module) is not null) return MethodUses.Unknown;
        var methods = module.GetMethods(BindingFlags.Instance | BindingFlags.Public)
            .Where(method => method.Name == nameof(BuiltIn.forward) && IsOfModule(method.GetBaseDefinition())).ToArray();
        return methods.Length == 1 && !ObjectGraph.IsForeign(methods[0].DeclaringType!.Assembly)
            ? UseAnalysis.Read(methods[0], []) : MethodUses.Unknown;
    }

    private static bool IsOfModule(MethodInfo method) => TensorMethods.IsCallable(method.DeclaringType!);
}
