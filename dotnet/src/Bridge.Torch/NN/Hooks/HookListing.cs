namespace Bridge.Torch;

/// <summary>The keys of a module's hooks in its fields <c>pre_hooks</c>, <c>post_hooks</c> and so on.</summary>
/// <remarks>The list keeps its hooks alive, but not the module.</remarks>
internal sealed class HookListing : IShared
{
    private readonly List<Entry> _entries = [];

    /// <summary>Gets the number of hooks that the fields show.</summary>
    internal int Count => _entries.Count;

    /// <summary>Adds a hook under a new key.</summary>
    /// <param name="hook">The hook.</param>
    /// <param name="shown">The delegate that the field shows.</param>
    /// <param name="field">The number of the field that shows the hook; returned.</param>
    internal int Add(RegisteredHook hook, Delegate shown, int field)
    {
        _entries.Insert(hook.Prepend ? 0 : _entries.Count, new(Guid.NewGuid().ToString(), hook, shown, field));
        return field;
    }

    /// <summary>Removes a hook, and returns the number of the field that shows it; null if there is no such hook.</summary>
    internal int? Remove(RegisteredHook hook)
    {
        var at = _entries.FindIndex(item => item.Hook == hook);
        if (at < 0) return null;
        var field = _entries[at].Field;
        _entries.RemoveAt(at);
        return field;
    }

    /// <summary>Returns the hook with a key; null if there is none.</summary>
    internal RegisteredHook? Find(string key) => _entries.Find(item => item.Key == key)?.Hook;

    /// <summary>Returns the key of a hook.</summary>
    internal string KeyOf(RegisteredHook hook) => _entries.Find(item => item.Hook == hook)!.Key;

    /// <summary>Returns the hooks that a field shows.</summary>
    internal IEnumerable<(string Key, Delegate Hook)> Of(int field) =>
        _entries.Where(item => item.Field == field).Select(item => (item.Key, item.Shown));

    /// <summary>Removes and returns the hooks that a subclass took out of a field.</summary>
    internal List<RegisteredHook> TakeMissing(Func<int, string, bool> isShown)
    {
        var missing = _entries.FindAll(item => !isShown(item.Field, item.Key));
        _entries.RemoveAll(missing.Contains);
        return missing.ConvertAll(item => item.Hook);
    }

    private sealed record Entry(string Key, RegisteredHook Hook, Delegate Shown, int Field);
}
