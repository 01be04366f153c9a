using System.Collections;

namespace TorchSharp.Utils;

/// <summary>A random permutation of the numbers from 0 to size - 1. A seed gives the same order as in TorchSharp.</summary>
/// <param name="size">The number of numbers.</param>
/// <param name="seed">The seed of the random generator; by default a random one.</param>
public class FisherYatesShuffler(long size, int? seed = null) : IEnumerable<long>
{
    /// <inheritdoc/>
    public IEnumerator<long> GetEnumerator() => ((IEnumerable<long>)Shuffle()).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private long[] Shuffle()
    {
        var random = seed is { } given ? new Random(given) : new Random();
        var order = new long[Math.Max(size, 0)];
        for (var at = 0L; at < size; at++)
        {
            // As in TorchSharp, two draws give one random number.
            var high = (long)random.Next() << 32;
            var other = (high + random.Next()) % (at + 1);
            order[at] = order[other];
            order[other] = at;
        }

        return order;
    }
}
