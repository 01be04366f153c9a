using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>What was found out about types. It does not keep a type loaded that .NET could unload.</summary>
internal sealed class TypeCache<T>(Func<Type, T> find)
{
    // The one that is searched first serves all types but those of reloaded models.
    private readonly ConcurrentDictionary<Type, T> _lasting = new();
    private readonly ConditionalWeakTable<Type, StrongBox<T>> _collectible = [];

    internal T this[Type type]
    {
        get
        {
            if (_lasting.TryGetValue(type, out var known)) return known;
            if (!type.IsCollectible) return _lasting.GetOrAdd(type, find);
            return _collectible.GetValue(type, key => new(find(key))).Value!;
        }
    }
}
