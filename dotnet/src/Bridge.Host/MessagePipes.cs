using System.Buffers;
using System.Reflection;
using System.Text.Json;
using Microsoft.Win32.SafeHandles;

namespace Bridge.Host;

/// <summary>Reads requests from one pipe and writes answers to another. Each request or answer is a line of JSON.</summary>
internal sealed class MessagePipes(nint requests, nint answers) : IDisposable
{
    private readonly FileStream _requests = new(new SafeFileHandle(requests, ownsHandle: true), FileAccess.Read, bufferSize: 0);
    private readonly FileStream _answers = new(new SafeFileHandle(answers, ownsHandle: true), FileAccess.Write, bufferSize: 0);
    private readonly ArrayBufferWriter<byte> _line = new();
    private byte[] _read = new byte[1 << 16];
    private int _start, _end;

    /// <summary>Returns the next request without its end of line, valid until the next call; null at the end of the pipe.</summary>
    internal ReadOnlyMemory<byte>? Read()
    {
        var searchStart = _start;
        while (true)
        {
            var found = _read.AsSpan(searchStart, _end - searchStart).IndexOf((byte)'\n');
            if (found >= 0)
            {
                var line = _read.AsMemory(_start, searchStart + found - _start);
                _start = searchStart + found + 1;
                return line;
            }

            searchStart = _end;
            if (_start > 0)
            {
                _read.AsSpan(_start, _end - _start).CopyTo(_read);
                (searchStart, _end, _start) = (searchStart - _start, _end - _start, 0);
            }

            if (_end == _read.Length) Array.Resize(ref _read, 2 * _read.Length);
            var more = _requests.Read(_read, _end, _read.Length - _end);
            if (more == 0) return null;
            _end += more;
        }
    }

    /// <summary>Writes an object as a line.</summary>
    /// <param name="content">Writes the members of the object.</param>
    internal void Write(Action<Utf8JsonWriter> content)
    {
        _line.ResetWrittenCount();
        using (var json = new Utf8JsonWriter(_line))
        {
            json.WriteStartObject();
            content(json);
            json.WriteEndObject();
        }

        _line.GetSpan(1)[0] = (byte)'\n';
        _line.Advance(1);
        _answers.Write(_line.WrittenSpan);
    }

    /// <summary>Writes the first line, which identifies this program.</summary>
    internal void WriteHello() => Write(json =>
    {
        json.WriteStartObject("hello");
        json.WriteNumber("protocol", Program.Protocol);
        var assembly = typeof(Program).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>();
        json.WriteString("bridge", assembly?.InformationalVersion.Split('+')[0]);
        json.WriteString("dotnet", Environment.Version.ToString());
        json.WriteNumber("pid", Environment.ProcessId);
        json.WriteEndObject();
    });

    public void Dispose()
    {
        _requests.Dispose();
        _answers.Dispose();
    }
}
