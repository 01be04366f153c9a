using System.IO.MemoryMappedFiles;
using System.Text.Json;
using Bridge.Host.Systems;

namespace Bridge.Host;

/// <summary>Blocks of memory shared with Python, which are freed when the last process unmaps them.</summary>
/// <param name="parent">The id of Python's process, which creates the blocks.</param>
internal sealed unsafe class SharedMemory(int parent) : IDisposable
{
    private readonly Dictionary<long, Block> _blocks = [];
    private readonly Dictionary<long, int> _uses = []; // The number of tensors on each block.
    private readonly List<long> _free = []; // The free blocks that Python has not been told of.
    private long _current = -1; // The block of the current request; -1 for none.

    /// <summary>Applies <c>unmap</c> (block numbers) and <c>map</c> (number, place, size of each block) of a request.</summary>
    internal void ApplyChanges(JsonElement given)
    {
        if (given.TryGetProperty("unmap", out var gone))
            foreach (var number in gone.EnumerateArray()) Unmap(number.GetInt64());
        if (!given.TryGetProperty("map", out var blocks)) return;
        foreach (var made in blocks.EnumerateArray()) Map(made[0].GetInt64(), made[1], made[2].GetInt64());
    }

    private void Map(long number, JsonElement place, long size)
    {
        Unmap(number);
        _blocks[number] = new(HostSystem.Current.Open(place, size, parent), size);
    }

    private void Unmap(long number)
    {
        if (_blocks.Remove(number, out var block)) block.Dispose();
    }

    /// <summary>Returns the address of an offset in a block; null if the length is 0.</summary>
    /// <exception cref="ArgumentException">There is no such block, or the block is too small.</exception>
    internal byte* Address(long number, long offset, long length)
    {
        // A request whose tensors are all empty has no block.
        if (length == 0) return null;
        if (!_blocks.TryGetValue(number, out var block)) throw new ArgumentException($"There is no shared block {number}.");
        if (offset < 0 || length < 0 || offset > block.Size - length)
            throw new ArgumentException($"The shared block {number} has {block.Size} bytes: {length} bytes at {offset} are not in it.");
        return block.Start + offset;
    }

    /// <summary>Gets the size in bytes of the blocks that tensors use.</summary>
    internal long BytesInUse
    {
        get
        {
            lock (_uses) return _uses.Keys.Sum(number => _blocks[number].Size);
        }
    }

    /// <summary>Sets which block contains the arguments of the current request.</summary>
    internal void BeginRequest(long number) => _current = number;

    /// <summary>Counts a tensor that uses the block of the current request.</summary>
    /// <returns>An action that ends the use. It must run once, on any thread.</returns>
    internal Action AddUse()
    {
        var number = _current;
        lock (_uses) _uses[number] = _uses.GetValueOrDefault(number) + 1;
        return () =>
        {
            lock (_uses)
            {
                if (--_uses[number] > 0) return;
                _uses.Remove(number);
                if (number != _current) _free.Add(number);
            }
        };
    }

    /// <summary>
    /// Returns the offset of a result in the block of the current request; -1 if the result is elsewhere or smaller than half the block,
    /// or no tensor uses the block.
    /// </summary>
    internal long OffsetInBlock(byte* start, long length)
    {
        if (_current < 0 || !IsInUse(_current) || !_blocks.TryGetValue(_current, out var block)) return -1;
        var offset = start - block.Start;
        return offset >= 0 && offset <= block.Size - length && length >= block.Size / 2 ? offset : -1;
    }

    /// <summary>Gives the block of the current request back to Python with its content, if no tensor uses the block.</summary>
    /// <returns>The block's number; null if the block is still in use, or the request has none.</returns>
    internal long? TryReturnBlock()
    {
        if (_current < 0 || IsInUse(_current)) return null;
        var number = _current;
        _current = -1;
        return number;
    }

    /// <summary>Ends the current request: the block of the request becomes free if no tensor uses the block.</summary>
    internal void EndRequest()
    {
        lock (_uses)
        {
            if (_current >= 0 && !_uses.ContainsKey(_current)) _free.Add(_current);
            _current = -1;
        }
    }

    /// <summary>Ends the current request, and writes the blocks that have become free since the last call.</summary>
    internal void WriteFree(Utf8JsonWriter result)
    {
        EndRequest();
        result.WriteStartArray("free");
        lock (_uses)
        {
            foreach (var number in _free) result.WriteNumberValue(number);
            _free.Clear();
        }

        result.WriteEndArray();
    }

    private bool IsInUse(long number)
    {
        lock (_uses) return _uses.ContainsKey(number);
    }

    public void Dispose()
    {
        // Blocks in use stay mapped until the process ends, because a thread of the model may read them.
        foreach (var (number, block) in _blocks)
            if (!_uses.ContainsKey(number)) block.Dispose();
        _blocks.Clear();
    }

    private sealed class Block : IDisposable
    {
        private readonly MemoryMappedFile _file;
        private readonly MemoryMappedViewAccessor _view;

        internal Block(MemoryMappedFile file, long size)
        {
            _file = file;
            _view = _file.CreateViewAccessor(0, size, MemoryMappedFileAccess.ReadWrite);
            Size = size;
            byte* start = null;
            _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
            Start = start + _view.PointerOffset;
        }

        internal byte* Start { get; }

        internal long Size { get; }

        public void Dispose()
        {
            _view.SafeMemoryMappedViewHandle.ReleasePointer();
            _view.Dispose();
            _file.Dispose();
        }
    }
}
