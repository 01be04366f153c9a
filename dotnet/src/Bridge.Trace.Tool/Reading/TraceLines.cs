using System.Security.Cryptography;
using static Bridge.Trace.Tool.Reading.TraceFileError;

namespace Bridge.Trace.Tool.Reading;

/// <summary>Reads the lines of a trace file: the header, then blocks of event lines, then the footer.</summary>
internal sealed class TraceLines : IDisposable
{
    /// <summary>The number of bytes that are read at once.</summary>
    internal const int BlockSize = 1 << 20;

    /// <summary>The maximum length of a line.</summary>
    internal const int MaxLine = 1 << 24;

    private readonly FileStream _file;
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private int _lines = 1;
    private byte[] _rest = [];
    private bool _ended;

    /// <summary>Opens a file and reads its header.</summary>
    /// <exception cref="TraceFileException">The file cannot be read, or does not begin with a valid header.</exception>
    internal TraceLines(string path)
    {
        (Path, Decoder) = (path, new(path));
        _file = Guard(path, () => new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        try
        {
            Header = Guard(path, ReadHeader);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    internal string Path { get; }

    internal LineDecoder Decoder { get; }

    internal TraceFileHeader Header { get; }

    /// <summary>Gets the last line, after the last block of a complete file.</summary>
    internal TraceFooter? Footer { get; private set; }

    /// <summary>Gets the number of the next line.</summary>
    internal int Line => _lines + 1;

    /// <summary>Gets the offset of the first event line.</summary>
    internal long Start { get; private set; }

    /// <summary>Returns complete event lines; an empty array at the end.</summary>
    /// <exception cref="TraceFileException">A line is too long, the footer is invalid, or data follows the footer.</exception>
    internal byte[] Take() => Footer is not null ? [] : Guard(Path, TakeBlock);

    /// <summary>Compares the number of events, the digest and the number of known values with the footer.</summary>
    /// <exception cref="TraceFileException">The footer is missing or differs.</exception>
    internal void Check(int events, long known)
    {
        if (Footer is null)
        {
            var words = $"the file is truncated: it has no footer; {events} complete events could be read";
            throw new TraceFileException(TraceCutOffError, Path, words, Line);
        }

        if (Footer.Events != events)
            throw Damaged($"the number of events is {events}, but the footer says {Footer.Events}", "events");
        if (Hex(_hash.GetCurrentHash()) != Footer.Digest) throw Damaged("the events do not match the footer's digest", "digest");
        if (Footer.Known != known)
            throw Damaged($"the events have {known} numbers, booleans and digests, but the footer says {Footer.Known}", "known");
    }

    public void Dispose()
    {
        _file.Dispose();
        _hash.Dispose();
    }

    internal static string Hex(byte[] digest) => Convert.ToHexString(digest).ToLowerInvariant();

    /// <summary>Runs a function that reads a file, and reports its errors with the path.</summary>
    internal static T Guard<T>(string path, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            throw new TraceFileException(TraceFileError.TraceFileError, path, $"cannot be read ({Reason(error, path)})");
        }
    }

    private static string Reason(Exception error, string path) => error switch
    {
        FileNotFoundException or DirectoryNotFoundException => "No such file or directory",
        UnauthorizedAccessException when Directory.Exists(path) => "Is a directory",
        _ => error.Message,
    };

    private TraceFileHeader ReadHeader()
    {
        var read = new MemoryStream();
        var buffer = new byte[1 << 16];
        var end = -1;
        while (end < 0 && read.Length < MaxLine)
        {
            var count = _file.Read(buffer, 0, (int)Math.Min(buffer.Length, MaxLine - read.Length));
            if (count == 0) break;
            end = Array.IndexOf(buffer, (byte)'\n', 0, count);
            read.Write(buffer, 0, end < 0 ? count : end + 1);
        }

        var line = read.GetBuffer().AsSpan(0, (int)read.Length);
        if (line.IsEmpty) throw new TraceFileException(TraceCutOffError, Path, "the file is empty", 1);
        if (end < 0)
        {
            if (!line.TrimStart(" \t\n\r\v\f"u8).StartsWith("{"u8))
                throw new TraceFileException(NotATraceError, Path, "not a trace file: it does not begin with a header", 1);
            if (line.Length >= MaxLine) throw TooLong(1);
            throw new TraceFileException(TraceCutOffError, Path, "the file is truncated: its header is incomplete", 1);
        }

        Start = _file.Position = line.Length;
        return Decoder.Header(line);
    }

    private byte[] TakeBlock()
    {
        var read = new MemoryStream();
        read.Write(_rest);
        var buffer = new byte[BlockSize];
        while (!_ended)
        {
            var count = _file.ReadAtLeast(buffer, BlockSize, throwOnEndOfStream: false);
            _ended = count == 0;
            read.Write(buffer, 0, count);
            if (buffer.AsSpan(0, count).Contains((byte)'\n')) break;
            if (read.Length > MaxLine) throw TooLong(Line);
        }

        var all = read.ToArray();
        var end = Array.LastIndexOf(all, (byte)'\n') + 1;
        var block = all[..end];
        _rest = all[end..];
        if (_ended || !HasMore() || LastLine(block).StartsWith("{\"events\""u8)) block = CutFooter(block);
        _hash.AppendData(block);
        _lines += block.AsSpan().Count((byte)'\n');
        return block;
    }

    private bool HasMore()
    {
        if (_rest.Length > 0) return true;
        var next = _file.ReadByte();
        _rest = next < 0 ? [] : [(byte)next];
        return next >= 0;
    }

    // Decodes the last line of the block if it is the footer, and returns the other lines.
    private byte[] CutFooter(byte[] block)
    {
        if (_rest.Length > 0 && Decoder.IsFooter(_rest)) (block, _rest) = ([.. block, .. _rest, (byte)'\n'], []);
        var last = LastLine(block);
        if (!Decoder.IsFooter(last)) return block;
        var number = Line + block.AsSpan().Count((byte)'\n') - 1;
        if (HasMore()) throw new TraceFileException(DamagedTraceError, Path, "there is data after the footer", number + 1);
        Footer = Decoder.Footer(last, number);
        return block[..^last.Length];
    }

    private static ReadOnlySpan<byte> LastLine(byte[] block) =>
        block.Length == 0 ? [] : block.AsSpan(block.AsSpan(0, block.Length - 1).LastIndexOf((byte)'\n') + 1);

    private TraceFileException Damaged(string words, string field) => new(DamagedTraceError, Path, words, Line, field);

    private TraceFileException TooLong(int line) => new(LineTooLongError, Path, $"the line is longer than {MaxLine} bytes", line);
}
