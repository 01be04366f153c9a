using System.IO.MemoryMappedFiles;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>Blocks of memory that Python makes and shares: files without a name, which are gone with the last process that maps them.</summary>
/// <param name="parent">The process that makes them.</param>
internal sealed unsafe class SharedMemory(int parent) : IDisposable
{
    private readonly Dictionary<long, Block> _blocks = [];
    private readonly Dictionary<long, int> _held = [];
    private readonly List<long> _free = [];
    private long _current = -1;

    /// <summary>Takes over what a request says of blocks: <c>unmap</c>, numbers, and <c>map</c>, each a number, a descriptor and a size.</summary>
    internal void Follow(JsonElement given)
    {
        if (given.TryGetProperty("unmap", out var gone))
            foreach (var number in gone.EnumerateArray()) Unmap(number.GetInt64());
        if (!given.TryGetProperty("map", out var blocks)) return;
        foreach (var made in blocks.EnumerateArray()) Map(made[0].GetInt64(), made[1].GetInt32(), made[2].GetInt64());
    }

    /// <summary>Maps a block.</summary>
    /// <param name="number">What it is called from now on.</param>
    /// <param name="descriptor">Its file in Python's process.</param>
    /// <param name="size">Bytes.</param>
    private void Map(long number, int descriptor, long size)
    {
        Unmap(number);
        _blocks[number] = new($"/proc/{parent}/fd/{descriptor}", size);
    }

    /// <summary>Forgets a block; nothing happens where there is none of that number.</summary>
    private void Unmap(long number)
    {
        if (_blocks.Remove(number, out var block)) block.Dispose();
    }

    /// <summary>Bytes of a block.</summary>
    /// <exception cref="ArgumentException">It has not so many, or there is no such block.</exception>
    internal byte* At(long number, long offset, long length)
    {
        // Of a message whose tensors have no elements there is no block.
        if (length == 0) return null;
        if (!_blocks.TryGetValue(number, out var block)) throw new ArgumentException($"There is no shared block {number}.");
        if (offset < 0 || length < 0 || offset > block.Size - length) throw new ArgumentException($"The shared block {number} has {block.Size} bytes, not {length} from {offset} on.");
        return block.Start + offset;
    }

    /// <summary>Bytes of the blocks that tensors are on.</summary>
    internal long Held
    {
        get
        {
            lock (_held) return _held.Keys.Sum(number => _blocks[number].Size);
        }
    }

    /// <summary>The arguments of the request that is answered are in a block.</summary>
    internal void Begin(long number) => _current = number;

    /// <summary>A tensor is on the block of this request.</summary>
    /// <returns>Says, on any thread, that it is not any more.</returns>
    internal Action Hold()
    {
        var number = _current;
        lock (_held) _held[number] = _held.GetValueOrDefault(number) + 1;
        return () =>
        {
            lock (_held)
            {
                if (--_held[number] > 0) return;
                _held.Remove(number);
                if (number != _current) _free.Add(number);
            }
        };
    }

    /// <summary>Where memory is in the block of this request, if tensors are on it; -1 if it is elsewhere, or too little of a block to keep it for.</summary>
    internal long Offset(byte* start, long length)
    {
        if (_current < 0 || !IsHeld(_current) || !_blocks.TryGetValue(_current, out var block)) return -1;
        var offset = start - block.Start;
        return offset >= 0 && offset <= block.Size - length && length >= block.Size / 2 ? offset : -1;
    }

    /// <summary>Gives the block of this request to Python with what is in it, if no tensor is on it any more.</summary>
    /// <returns>Its number; null where there still is one.</returns>
    internal long? Leave()
    {
        if (_current < 0 || IsHeld(_current)) return null;
        var number = _current;
        _current = -1;
        return number;
    }

    /// <summary>The request is answered: its block is free if no tensor is on it.</summary>
    internal void End()
    {
        lock (_held)
        {
            if (_current >= 0 && !_held.ContainsKey(_current)) _free.Add(_current);
            _current = -1;
        }
    }

    /// <summary>Ends the request, and says which blocks have become free since this was said last.</summary>
    internal void WriteFree(Utf8JsonWriter result)
    {
        End();
        result.WriteStartArray("free");
        lock (_held)
        {
            foreach (var number in _free) result.WriteNumberValue(number);
            _free.Clear();
        }

        result.WriteEndArray();
    }

    private bool IsHeld(long number)
    {
        lock (_held) return _held.ContainsKey(number);
    }

    public void Dispose()
    {
        // What tensors are on stays until the process ends: a thread of the model may use it.
        foreach (var (number, block) in _blocks)
            if (!_held.ContainsKey(number)) block.Dispose();
        _blocks.Clear();
    }

    private sealed class Block : IDisposable
    {
        private readonly MemoryMappedFile _file;
        private readonly MemoryMappedViewAccessor _view;

        internal Block(string path, long size)
        {
            using var stream = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
            _file = MemoryMappedFile.CreateFromFile(stream, null, size, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
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
