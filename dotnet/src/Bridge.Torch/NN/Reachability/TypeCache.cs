using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>A cache by type. It does not prevent .NET from unloading a type.</summary>
internal sealed class TypeCache<T>(Func<Type, T> find)
{
    // Holds the types of assemblies that cannot be unloaded, and is searched first.
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
