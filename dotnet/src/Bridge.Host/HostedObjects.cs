using System.Diagnostics;

namespace Bridge.Host;

/// <summary>The .NET objects that Python holds, by number: objects of a model's own classes, and values for a constructor.</summary>
internal sealed class HostedObjects
{
    private readonly Dictionary<long, object> _byNumber = [];

    // Larger than each number of an earlier process, so that no object of that process is mistaken for one of this process.
    private long _last = Stopwatch.GetTimestamp();

    internal long Add(object target)
    {
        _byNumber[++_last] = target;
        return _last;
    }

    /// <exception cref="ArgumentException">There is no such object.</exception>
    internal object Get(long number) => _byNumber.TryGetValue(number, out var found) ? found : throw new ArgumentException(
        "The .NET object was in a process of TorchSharp that has ended: make it again.");

    internal void Remove(long number) => _byNumber.Remove(number);
}
