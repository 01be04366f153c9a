using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>The hooks of a module in TorchSharp: two dictionaries of delegates in fields of a base class.</summary>
/// <remarks>
/// The dictionaries are replaced by copies that begin with the listener's hook. TorchSharp's registration would add the hook at the end, or
/// in the slot of a removed hook, which .NET's <c>Dictionary</c> reuses. TorchSharp's hook removers still work, because they remove a hook
/// by its key from the current dictionary. A call that is looping over the hooks in a dictionary goes on with the old dictionary.
/// </remarks>
internal abstract class HookDictionaries
{
    /// <summary>Creates the <see cref="HookDictionaries"/> of a module; returns null if the module's class cannot be hooked.</summary>
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    internal static HookDictionaries? TryCreate(object module, Library library)
    {
        var type = module.GetType();
        if (!library.HookAdapters.TryGetValue(type, out var adapter)) library.HookAdapters[type] = adapter = Find(type, library);
        return adapter?.CreateDictionaries(module);
    }

    /// <summary>Gets the types that <c>forward</c> declares: those of its arguments, and last that of its result.</summary>
    internal abstract Type[] ForwardTypes { get; }

    /// <summary>Adds the listener's two hooks before all others.</summary>
    internal abstract void Attach(ModuleNode node, ICallListenerFactory factory);

    /// <summary>Removes the listener's two hooks, and restores the original dictionaries unless hooks have changed since.</summary>
    internal abstract void Detach();

    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    private static HookAdapter? Find(Type type, Library library)
    {
        for (var at = type; at is not null && at != library.Module; at = at.BaseType)
        {
            if (!at.Name.StartsWith("HookableModule`", StringComparison.Ordinal)
                && !at.Name.StartsWith("HookableScriptModule`", StringComparison.Ordinal)) continue;
            // The delegate types are the last two type arguments. In TorchSharp 0.102.5, the class has one more type argument.
            return at.GetGenericArguments() is [.., var pre, var post] ? HookAdapter.TryCreate(type, at, pre, post, library) : null;
        }

        return null;
    }
}

internal sealed class HookDictionaries<TPre, TPost>(
    object module, FieldInfo pre, FieldInfo post, Func<ModuleNode, ICallListenerFactory, (TPre, TPost)> createHooks) : HookDictionaries
    where TPre : Delegate
    where TPost : Delegate
{
    private readonly string _key = $"bridge-{Guid.NewGuid()}";
    private Replacement<TPre>? _pre;
    private Replacement<TPost>? _post;

    // A forward hook takes the module, the arguments and the result.
    [UnconditionalSuppressMessage("Trimming", "IL2090", Justification = "Delegates keep Invoke.")]
    internal override Type[] ForwardTypes =>
        [.. typeof(TPost).GetMethod("Invoke")!.GetParameters().Skip(1).Select(parameter => parameter.ParameterType)];

    internal override void Attach(ModuleNode node, ICallListenerFactory factory)
    {
        var (entered, computed) = createHooks(node, factory);
        _pre = new(module, pre, _key, entered);
        _post = new(module, post, _key, computed);
    }

    internal override void Detach()
    {
        _pre?.Restore();
        _post?.Restore();
        _pre = null;
        _post = null;
    }

    private sealed class Replacement<THook>
        where THook : Delegate
    {
        private readonly object _module;
        private readonly FieldInfo _field;
        private readonly string _key;
        private readonly Dictionary<string, THook> _original;
        private readonly Dictionary<string, THook> _replacement;

        internal Replacement(object module, FieldInfo field, string key, THook hook)
        {
            _module = module;
            _field = field;
            _key = key;
            _original = Current;
            _replacement = Copy(_original, new() { [key] = hook });
            field.SetValue(module, _replacement);
        }

        private Dictionary<string, THook> Current => (Dictionary<string, THook>)_field.GetValue(_module)!;

        internal void Restore()
        {
            var current = Current;
            var remaining = Copy(current, []);
            remaining.Remove(_key);
            // If nothing has changed, restore the original dictionary, whose free slots decide where later hooks go. Otherwise copy,
            // because removing the listener's hook has left a free slot at the front.
            var unchanged = ReferenceEquals(current, _replacement) && remaining.SequenceEqual(_original);
            _field.SetValue(_module, unchanged ? _original : Copy(remaining, []));
        }

        private static Dictionary<string, THook> Copy(Dictionary<string, THook> from, Dictionary<string, THook> to)
        {
            foreach (var (key, hook) in from) to.Add(key, hook);
            return to;
        }
    }
}
