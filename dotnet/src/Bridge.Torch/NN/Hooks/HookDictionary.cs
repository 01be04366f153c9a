namespace Bridge.Torch;

/// <summary>
/// The dictionary in a protected field of TorchSharp's hookable modules, such as <c>pre_hooks</c>. It shows the hooks of its kind that C#
/// registered, in the order in which they run.
/// </summary>
/// <remarks>
/// A subclass of the module can enumerate and clear the dictionary; cleared hooks no longer run. Adding a hook throws, because calls would
/// not run the hook. The comparer throws when the dictionary asks for a key's hash, so looking up or removing a key throws, too,
/// once a hook has been shown.
/// </remarks>
internal sealed class HookDictionary<THook>(string field, string method) : Dictionary<string, THook>(new Keys(field, method)), IShared
{
    /// <summary>Shows these hooks instead of the present ones.</summary>
    internal void Show(IEnumerable<(string Key, Delegate Hook)> hooks)
    {
        Clear();
        Keys.IsOurs = true;
        try
        {
            foreach (var (key, hook) in hooks) Add(key, (THook)(object)hook);
        }
        finally
        {
            Keys.IsOurs = false;
        }
    }

    /// <summary>Returns whether a key is in the dictionary.</summary>
    internal bool Shows(string key)
    {
        Keys.IsOurs = true;
        try
        {
            return ContainsKey(key);
        }
        finally
        {
            Keys.IsOurs = false;
        }
    }

    private new sealed class Keys(string field, string method) : IEqualityComparer<string>
    {
        /// <summary>Whether this thread runs a method of <see cref="HookDictionary{THook}"/>: then the comparer does not throw.</summary>
        [ThreadStatic]
        internal static bool IsOurs;

        public bool Equals(string? x, string? y) => string.Equals(x, y, StringComparison.Ordinal);

        public int GetHashCode(string key) => IsOurs ? key.GetHashCode(StringComparison.Ordinal) : throw new NotSupportedException(
            $"'{field}' shows the module's hooks, which run from another list: it can be enumerated and cleared only. Register a hook by "
            + $"{method}, and remove one by HookRemover(this, key).");
    }
}
