using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>Where the hooks of a module are: two dictionaries of delegates, in fields of a base class.</summary>
/// <remarks>
/// The dictionaries are replaced by copies that begin with our hook. So ours comes first whatever was registered before, which a registration
/// would not give: a new hook takes the slot of one that was removed (rule 10). Handles given out before keep working, and a call under way
/// goes on with what it began with (rules 24 and 28).
/// </remarks>
internal abstract class HookSlots
{
    /// <summary>Those of a module; null where its class has none.</summary>
    internal static HookSlots? Of(object module, Library library)
    {
        if (!library.Shapes.TryGetValue(module.GetType(), out var shape)) library.Shapes[module.GetType()] = shape = Find(module.GetType(), library);
        return shape?.Of(module);
    }

    /// <summary>Puts the listener's two hooks in front.</summary>
    internal abstract void Attach(ModuleNode node, IListening listening);

    /// <summary>Takes them out: the dictionaries of before are back, unless something was registered or removed meanwhile.</summary>
    internal abstract void Detach();

    private static HookShape? Find(Type type, Library library)
    {
        for (var at = type; at is not null && at != library.Module; at = at.BaseType)
        {
            // Its last two arguments in every version: 0.102.5 has one before them.
            if (!at.Name.StartsWith("HookableModule`", StringComparison.Ordinal) && !at.Name.StartsWith("HookableScriptModule`", StringComparison.Ordinal)) continue;
            return at.GetGenericArguments() is [.., var pre, var post] ? HookShape.Of(type, at, pre, post, library) : null;
        }

        return null;
    }
}

/// <inheritdoc/>
internal sealed class HookSlots<TPre, TPost>(object module, FieldInfo pre, FieldInfo post, Func<ModuleNode, IListening, (TPre, TPost)> trampolines) : HookSlots
    where TPre : Delegate
    where TPost : Delegate
{
    private readonly string _key = $"bridge-{Guid.NewGuid()}";
    private Replaced<TPre>? _pre;
    private Replaced<TPost>? _post;

    internal override void Attach(ModuleNode node, IListening listening)
    {
        var (entered, computed) = trampolines(node, listening);
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

    private sealed class Replaced<THook>
        where THook : Delegate
    {
        private readonly object _module;
        private readonly FieldInfo _field;
        private readonly string _key;
        private readonly Dictionary<string, THook> _before;
        private readonly Dictionary<string, THook> _ours;

        internal Replaced(object module, FieldInfo field, string key, THook hook)
        {
            _module = module;
            _field = field;
            _key = key;
            _before = Now;
            _ours = Copy(_before, new() { [key] = hook });
            field.SetValue(module, _ours);
        }

        private Dictionary<string, THook> Now => (Dictionary<string, THook>)_field.GetValue(_module)!;

        internal void Restore()
        {
            var now = Now;
            var left = Copy(now, []);
            left.Remove(_key);
            // The very object of before, with its free slots, if nobody has noticed. Else a copy: in ours a slot is free now, the first.
            _field.SetValue(_module, ReferenceEquals(now, _ours) && left.SequenceEqual(_before) ? _before : Copy(left, []));
        }

        private static Dictionary<string, THook> Copy(Dictionary<string, THook> from, Dictionary<string, THook> to)
        {
            foreach (var (key, hook) in from) to.Add(key, hook);
            return to;
        }
    }
}
