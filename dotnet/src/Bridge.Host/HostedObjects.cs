namespace Bridge.Host;

/// <summary>The .NET objects that Python holds, by number: those of a model's own classes.</summary>
internal sealed class HostedObjects
{
    private readonly Dictionary<long, object> _byNumber = [];
    private long _last;

    internal long Add(object target)
    {
        _byNumber[++_last] = target;
        return _last;
    }

    /// <exception cref="ArgumentException">There is no such object.</exception>
    internal object Get(long number) =>
        _byNumber.TryGetValue(number, out var found) ? found : throw new ArgumentException($"There is no object {number} in this process.");

    internal void Remove(long number) => _byNumber.Remove(number);
}
