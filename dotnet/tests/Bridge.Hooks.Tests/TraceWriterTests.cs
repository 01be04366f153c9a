using System.Globalization;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Bridge.Hooks.Tests;

/// <summary>The trace file. Python's tests compare it with the bytes that Python writes.</summary>
public sealed class TraceWriterTests : IDisposable
{
    private static readonly TraceHeader Header = new()
    {
        Runtime = "dotnet",
        Seed = ulong.MaxValue,
        Inputs = [new("0.0", new('0', 32))],
    };

    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_file_has_header_events_and_footer()
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
            "{\"seq\":0,\"path\":\"path 10\",\"type\":\"Type<20>\",\"phase\":\"pre\",\"call\":0,\"parent\":-1,\"hook\":0,"
                + "\"scope\":\"global\","
                + "\"values\":[{\"kind\":\"tensor\",\"shape\":[2,3],\"dtype\":\"float32\",\"device\":\"cpu\",\"digest\":null,"
                + "\"data\":null},"
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
    public void Many_events_are_written_in_blocks()
    {
        using var buffer = new TraceBuffer();
        for (var i = 0; i < 2_000; i++) Record(buffer);
        var lines = Written(buffer, Header);
        Assert.Equal(6_002, lines.Length);
        Assert.All(lines, line => JsonDocument.Parse(line).Dispose());
        Assert.Equal(5_999, JsonDocument.Parse(lines[^2]).RootElement.GetProperty("seq").GetInt32());
    }

    [Fact]
    public void Unseen_modules_are_written_only_if_there_are_any()
    {
        using var buffer = new TraceBuffer();
        var plain = Written(buffer, Header);
        Assert.DoesNotContain("unseen", plain[0]);
        var lines = Written(buffer, Header with { Unseen = ["a.b", "\u00e9"] });
        var roots = "\"roots\":[\"\"],";
        Assert.Equal(plain[0].Replace(roots, roots + "\"unseen\":[\"a.b\",\"\\u00e9\"],", StringComparison.Ordinal), lines[0]);
        Assert.Equal(plain[1..], lines[1..]);
    }

    // Readers refuse long lines, and the digests of the arguments are in the events, too.
    [Fact]
    public void Inputs_are_left_out_if_the_header_would_be_too_long()
    {
        using var buffer = new TraceBuffer();
        var inputs = Enumerable.Range(0, 100).Select(i => new KeyValuePair<string, string>($"{i}.0", new('0', 32)));
        var header = Header with { Inputs = [.. inputs] };
        using var stream = new MemoryStream();
        TraceWriter.Write(stream, header, [buffer], new Names(), maxHeaderLength: 4000);
        Assert.Equal(Written(buffer, Header with { Inputs = [] }), Encoding.ASCII.GetString(stream.ToArray())[..^1].Split('\n'));
        header = header with { Weights = header.Inputs };
        Assert.Throws<InvalidDataException>(() => TraceWriter.Write(stream, header, [buffer], new Names(), maxHeaderLength: 4000));
    }

    [Fact]
    public void The_file_does_not_depend_on_the_culture()
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
    public void Strings_are_ASCII_and_keep_lone_surrogates()
    {
        const string text = "q\" \\ / \n\r\t\f\b\0\u007f\u00e9\ud83d\ude00\ud800 <>&'+";
        const string expected = "\"q\\\" \\\\ / \\n\\r\\t\\f\\b\\u0000\\u007f\\u00e9\\ud83d\\ude00\\ud800 <>&'+\"";
        Assert.Equal(expected, TraceText.Quoted(text));
    }

    [Fact]
    public void A_file_is_written_completely_or_not_at_all()
    {
        using var buffer = new TraceBuffer();
        Record(buffer);
        var file = Path.Combine(_folder, "a.jsonl");
        File.WriteAllText(file, "before");
        Assert.Throws<NotSupportedException>(() => TraceWriter.Write(file, Header, buffer, new Failing()));
        Assert.Equal("before", File.ReadAllText(file));
        Assert.Single(Directory.GetFiles(_folder));
        TraceWriter.Write(file, Header, buffer, new Names());
        Assert.Equal(string.Join('\n', Written(buffer, Header)) + "\n", File.ReadAllText(file));
        Assert.Single(Directory.GetFiles(_folder));
        var missing = Path.Combine(_folder, "none", "a");
        Assert.Throws<DirectoryNotFoundException>(() => TraceWriter.Write(missing, Header, buffer, new Names()));
    }

    [Fact]
    public void A_link_is_kept_and_its_target_is_replaced_with_the_same_permissions()
    {
        using var buffer = new TraceBuffer();
        const UnixFileMode ownerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        var far = Path.Combine(_folder, "far");
        Directory.CreateDirectory(Path.Combine(far, "deep"));
        Directory.CreateSymbolicLink(Path.Combine(_folder, "near"), Path.Combine(far, "deep"));
        var (link, target) = (Path.Combine(far, "deep", "a"), Path.Combine(far, "b"));
        File.CreateSymbolicLink(link, "../c");
        File.CreateSymbolicLink(Path.Combine(far, "c"), "b");
        File.WriteAllText(target, "before");
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(target, ownerOnly);
        TraceWriter.Write(Path.Combine(_folder, "near", "a"), Header, buffer, new Names());
        Assert.Equal("../c", new FileInfo(link).LinkTarget);
        Assert.StartsWith("{\"schema\"", File.ReadAllText(target));
        if (!OperatingSystem.IsWindows()) Assert.Equal(ownerOnly, File.GetUnixFileMode(target));
        Assert.Equal(3, Directory.GetFiles(far, "*", SearchOption.AllDirectories).Length);
        // A link whose target does not exist.
        File.Delete(target);
        TraceWriter.Write(link, Header, buffer, new Names());
        Assert.True(File.Exists(target));
    }

    [Fact]
    public void A_path_that_is_not_a_regular_file_is_refused_by_name()
    {
        using var buffer = new TraceBuffer();
        var (file, link, loop) = (Path.Combine(_folder, "a"), Path.Combine(_folder, "b"), Path.Combine(_folder, "c"));
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(file));
        File.CreateSymbolicLink(link, file);
        File.CreateSymbolicLink(loop, loop);
        foreach (var refused in new[] { file, link, loop, _folder })
        {
            var error = Assert.Throws<IOException>(() => TraceWriter.Write(refused, Header, buffer, new Names()));
            Assert.Contains(refused, error.Message);
        }

        Assert.Equal(3, Directory.GetFileSystemEntries(_folder).Length);
        Assert.Equal(0, new FileInfo(file).Length);
    }

    [Fact]
    public void A_name_may_have_the_maximal_length()
    {
        using var buffer = new TraceBuffer();
        TraceWriter.Write(Path.Combine(_folder, new string('a', 255)), Header, buffer, new Names());
        Assert.Single(Directory.GetFiles(_folder));
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

        public override string? Digest(in ValueRecord value) =>
            value.Payload < 0 ? null : new string((char)('0' + value.Payload), 32);
    }

    private sealed class Failing : Names
    {
        public override string Type(in EventRecord record) => throw new NotSupportedException();
    }
}
