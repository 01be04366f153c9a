using System.Buffers;
using System.Reflection;
using System.Text.Json;
using Microsoft.Win32.SafeHandles;

namespace Bridge.Host;

/// <summary>The pipes: a line of JSON is read from one and written to the other, each whole.</summary>
internal sealed class Lines(int requests, int answers) : IDisposable
{
    private readonly FileStream _requests = new(new SafeFileHandle(requests, ownsHandle: true), FileAccess.Read, bufferSize: 0);
    private readonly FileStream _answers = new(new SafeFileHandle(answers, ownsHandle: true), FileAccess.Write, bufferSize: 0);
    private readonly ArrayBufferWriter<byte> _line = new();
    private byte[] _read = new byte[1 << 16];
    private int _start, _end;

    /// <summary>The next request, without its end of line, valid until the next one is read; null when there is none any more.</summary>
    internal ReadOnlyMemory<byte>? Read()
    {
        var looked = _start;
        while (true)
        {
            var found = _read.AsSpan(looked, _end - looked).IndexOf((byte)'\n');
            if (found >= 0)
            {
                var line = _read.AsMemory(_start, looked + found - _start);
                _start = looked + found + 1;
                return line;
            }

            looked = _end;
            if (_start > 0)
            {
                _read.AsSpan(_start, _end - _start).CopyTo(_read);
                (looked, _end, _start) = (looked - _start, _end - _start, 0);
            }

            if (_end == _read.Length) Array.Resize(ref _read, 2 * _read.Length);
            var more = _requests.Read(_read, _end, _read.Length - _end);
            if (more == 0) return null;
            _end += more;
        }
    }

    /// <summary>Writes one object as a line.</summary>
    /// <param name="content">Writes its members.</param>
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

    /// <summary>The first line: who answers here.</summary>
    internal void Hello() => Write(json =>
    {
        json.WriteStartObject("hello");
        json.WriteNumber("protocol", Program.Protocol);
        json.WriteString("bridge", typeof(Program).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0]);
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
