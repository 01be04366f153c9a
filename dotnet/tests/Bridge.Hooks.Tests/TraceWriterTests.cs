using System.Globalization;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Bridge.Hooks.Tests;

/// <summary>The trace file that C# writes; that Python writes the same bytes is tested from there.</summary>
public class TraceWriterTests
{
    private static readonly TraceHeader Header = new() { Runtime = "dotnet", Seed = ulong.MaxValue, Inputs = [new("0.0", new('0', 32))] };

    [Fact]
    public void A_file_is_header_events_and_footer()
    {
        using var buffer = new TraceBuffer();
        Record(buffer);
        var lines = Written(buffer, Header);

        Assert.Equal(
            "{\"schema\":1,\"runtime\":\"dotnet\",\"runtime_version\":\"\",\"bridge\":\"\",\"torch\":\"\",\"python\":\"\",\"dotnet\":null,"
                + "\"device\":\"\",\"threads\":0,\"seed\":18446744073709551615,\"modules\":0,\"values\":\"none\",\"roots\":[\"\"],"
                + "\"inputs\":{\"0.0\":\"00000000000000000000000000000000\"},\"weights\":{}}",
            lines[0]);
        Assert.Equal(
            "{\"seq\":0,\"path\":\"path 10\",\"type\":\"Type<20>\",\"phase\":\"pre\",\"call\":0,\"parent\":-1,\"hook\":0,\"scope\":\"global\","
                + "\"values\":[{\"kind\":\"tensor\",\"shape\":[2,3],\"dtype\":\"float32\",\"device\":\"cpu\",\"digest\":null,\"data\":null},"
                + "{\"kind\":\"tensor\",\"shape\":[],\"dtype\":\"bfloat16\",\"device\":\"cuda:1\",\"digest\":\"" + new string('7', 32)
                + "\",\"data\":null},{\"kind\":\"none\"},{\"kind\":\"int\",\"literal\":-5},{\"kind\":\"float\",\"literal\":1e-05},"
                + "{\"kind\":\"bool\",\"literal\":true},{\"kind\":\"str\",\"literal\":null},{\"kind\":\"object\"}]}",
            lines[1]);
        Assert.Equal(
            "{\"seq\":1,\"path\":\"path 11\",\"type\":\"Type<21>\",\"phase\":\"bypass\",\"call\":-1,\"parent\":0,\"hook\":0,"
                + "\"scope\":\"global\",\"values\":[]}",
            lines[2]);
        Assert.Contains("\"phase\":\"forward\",\"call\":0,\"parent\":-1,\"hook\":4,\"scope\":\"module\",\"values\":[]", lines[3]);
        var digest = SHA256.HashData(Encoding.ASCII.GetBytes(string.Concat(lines[1..4].Select(line => line + "\n"))));
        Assert.Equal($"{{\"events\":3,\"known\":4,\"digest\":\"{Convert.ToHexString(digest).ToLowerInvariant()}\"}}", lines[4]);
        Assert.Equal(5, lines.Length);
    }

    [Fact]
    public void Many_events_go_out_in_blocks()
    {
        using var buffer = new TraceBuffer();
        for (var i = 0; i < 2_000; i++) Record(buffer);
        var lines = Written(buffer, Header);
        Assert.Equal(6_002, lines.Length);
        Assert.All(lines, line => JsonDocument.Parse(line).Dispose());
        Assert.Equal(5_999, JsonDocument.Parse(lines[^2]).RootElement.GetProperty("seq").GetInt32());
    }

    // A reader refuses lines that are too long, and the arguments' digests are in their events too.
    [Fact]
    public void Inputs_that_are_too_many_for_the_header_are_left_out()
    {
        using var buffer = new TraceBuffer();
        var header = Header with { Inputs = [.. Enumerable.Range(0, 100).Select(i => new KeyValuePair<string, string>($"{i}.0", new('0', 32)))] };
        using var stream = new MemoryStream();
        TraceWriter.Write(stream, header, [buffer], new Names(), longest: 4000);
        Assert.Equal(Written(buffer, Header with { Inputs = [] }), Encoding.ASCII.GetString(stream.ToArray())[..^1].Split('\n'));
        Assert.Throws<InvalidDataException>(() => TraceWriter.Write(stream, header with { Weights = header.Inputs }, [buffer], new Names(), longest: 4000));
    }

    [Fact]
    public void The_culture_of_the_program_is_not_seen()
    {
        using var buffer = new TraceBuffer();
        Record(buffer);
        var header = Header with { Seed = long.MinValue, Threads = -1 };
        var plain = Written(buffer, header);
        var before = CultureInfo.CurrentCulture;
        var swedish = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        (swedish.NumberFormat.NegativeSign, swedish.NumberFormat.NumberDecimalSeparator) = ("\u2212", ",");
        try
        {
            CultureInfo.CurrentCulture = swedish;
            Assert.Equal("\u22121", (-1).ToString(CultureInfo.CurrentCulture));
            Assert.Equal(plain, Written(buffer, header));
            Assert.Equal("-1", TorchNumbers.Type(-1));
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Theory]
    [InlineData(0.0, "0.0")]
    [InlineData(-0.0, "-0.0")]
    [InlineData(1e-4, "0.0001")]
    [InlineData(1e-5, "1e-05")]
    [InlineData(1.5e-7, "1.5e-07")]
    [InlineData(1e15, "1000000000000000.0")]
    [InlineData(1e16, "1e+16")]
    [InlineData(1.25e300, "1.25e+300")]
    [InlineData(5e-324, "5e-324")]
    [InlineData(-123.456, "-123.456")]
    [InlineData(double.NaN, "\"NaN\"")]
    [InlineData(double.NegativeInfinity, "\"-Infinity\"")]
    public void Doubles_are_written_as_Python_writes_them(double value, string text) => Assert.Equal(text, TraceText.Real(value));

    [Fact]
    public void Strings_are_ASCII_and_lone_surrogates_stay()
    {
        Assert.Equal("\"q\\\" \\\\ / \\n\\r\\t\\f\\b\\u0000\\u007f\\u00e9\\ud83d\\ude00\\ud800 <>&'+\"", TraceText.Quoted("q\" \\ / \n\r\t\f\b\0\u007f\u00e9\ud83d\ude00\ud800 <>&'+"));
    }

    [Fact]
    public void A_file_is_written_completely_or_not_at_all()
    {
        using var buffer = new TraceBuffer();
        Record(buffer);
        var folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            var file = Path.Combine(folder, "a.jsonl");
            File.WriteAllText(file, "before");
            Assert.Throws<NotSupportedException>(() => TraceWriter.Write(file, Header, buffer, new Failing()));
            Assert.Equal("before", File.ReadAllText(file));
            Assert.Single(Directory.GetFiles(folder));
            TraceWriter.Write(file, Header, buffer, new Names());
            Assert.Equal(string.Join('\n', Written(buffer, Header)) + "\n", File.ReadAllText(file));
            Assert.Single(Directory.GetFiles(folder));
            Assert.Throws<DirectoryNotFoundException>(() => TraceWriter.Write(Path.Combine(folder, "none", "a"), Header, buffer, new Names()));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void A_link_stays_and_what_it_names_is_written_with_its_permissions()
    {
        using var buffer = new TraceBuffer();
        var folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            Directory.CreateDirectory(Path.Combine(folder, "far", "deep"));
            Directory.CreateSymbolicLink(Path.Combine(folder, "near"), Path.Combine(folder, "far", "deep"));
            var (link, target) = (Path.Combine(folder, "far", "deep", "a"), Path.Combine(folder, "far", "b"));
            File.CreateSymbolicLink(link, "../c");
            File.CreateSymbolicLink(Path.Combine(folder, "far", "c"), "b");
            File.WriteAllText(target, "before");
            if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(target, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            TraceWriter.Write(Path.Combine(folder, "near", "a"), Header, buffer, new Names());
            Assert.Equal("../c", new FileInfo(link).LinkTarget);
            Assert.StartsWith("{\"schema\"", File.ReadAllText(target));
            if (!OperatingSystem.IsWindows()) Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(target));
            Assert.Equal(3, Directory.GetFiles(Path.Combine(folder, "far"), "*", SearchOption.AllDirectories).Length);
            // One that names what is not there yet.
            File.Delete(target);
            TraceWriter.Write(link, Header, buffer, new Names());
            Assert.True(File.Exists(target));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void What_is_no_regular_file_is_refused_by_name()
    {
        using var buffer = new TraceBuffer();
        var folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            var (place, link, loop) = (Path.Combine(folder, "a"), Path.Combine(folder, "b"), Path.Combine(folder, "c"));
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            socket.Bind(new UnixDomainSocketEndPoint(place));
            File.CreateSymbolicLink(link, place);
            File.CreateSymbolicLink(loop, loop);
            foreach (var refused in new[] { place, link, loop, folder })
            {
                var error = Assert.Throws<IOException>(() => TraceWriter.Write(refused, Header, buffer, new Names()));
                Assert.Contains(refused, error.Message);
            }

            Assert.Equal(3, Directory.GetFileSystemEntries(folder).Length);
            Assert.Equal(0, new FileInfo(place).Length);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void A_name_may_be_as_long_as_the_file_system_lets_it()
    {
        using var buffer = new TraceBuffer();
        var folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            TraceWriter.Write(Path.Combine(folder, new string('a', 255)), Header, buffer, new Names());
            Assert.Single(Directory.GetFiles(folder));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static void Record(TraceBuffer buffer)
    {
        var call = buffer.BeginCall(10, 20);
        buffer.Event(call, TracePhase.Pre);
        buffer.AddTensor(6, 0, -1, [2, 3], -1);
        buffer.AddTensor(15, 1, 1, [], 7);
        buffer.AddNone();
        buffer.AddLiteral(ValueKind.Int, -5);
        buffer.AddLiteral(ValueKind.Float, BitConverter.DoubleToInt64Bits(1e-5));
        buffer.AddLiteral(ValueKind.Bool, 1);
        buffer.AddLiteral(ValueKind.Str, 0);
        buffer.AddLiteral(ValueKind.Object, 0);
        buffer.Bypass(11, 21, call);
        buffer.Event(call, TracePhase.Forward, HookScope.Module, 4);
    }

    private static string[] Written(TraceBuffer buffer, TraceHeader header)
    {
        using var stream = new MemoryStream();
        TraceWriter.Write(stream, header, buffer, new Names());
        var text = Encoding.ASCII.GetString(stream.ToArray());
        Assert.EndsWith("\n", text);
        return text[..^1].Split('\n');
    }

    private class Names : TraceNames
    {
        public override string Path(in EventRecord record) => $"path {record.Path}";

        public override string Type(in EventRecord record) => $"Type<{record.Type}>";

        public override string? Digest(in ValueRecord value) => value.Payload < 0 ? null : new string((char)('0' + value.Payload), 32);
    }

    private sealed class Failing : Names
    {
        public override string Type(in EventRecord record) => throw new NotSupportedException();
    }
}
