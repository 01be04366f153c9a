using System.Collections;

namespace Bridge.Torch;

/// <summary>The numbers from 0 to count - 1. As in TorchSharp, an enumerator that was disposed goes on where it was.</summary>
internal sealed class IndexOrder(long count) : IEnumerable<long>
{
    public IEnumerator<long> GetEnumerator() => new Enumerator(count);

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private sealed class Enumerator(long count) : IEnumerator<long>
    {
        public long Current { get; private set; } = -1;

        object IEnumerator.Current => Current;

        public bool MoveNext() => Current + 1 < count && ++Current >= 0;

        public void Reset() => Current = -1;

        public void Dispose() { }
    }
}
