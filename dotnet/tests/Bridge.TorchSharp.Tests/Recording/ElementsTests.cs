using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>The file of elements beside a trace. docs/torchsharp-programs.md, which is tested, reads it in Python.</summary>
public sealed class ElementsTests : IDisposable
{
    // The digests in HookTraceTests: two zeros, four ones, and an empty [0, 2].
    private const string Zeros = "9c1ac10e65499998fb40c77ba3057e6d";
    private const string Ones = "e9cfaa9188d07fd1123da90fe1e27d9b";
    private const string Empty = "37b0cee420fc8e78120a83a1bbe71da6";
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Each_tensor_is_stored_once_by_its_digest()
    {
        var file = Path.Combine(_folder, "run.jsonl");
        using (HookTrace.Record(Called(out var call), file, TraceValues.Full))
        {
            call(ones(4));
            call(zeros(2));
            call(ones(4));
            call(zeros(0, 2));
        }

        var (header, data) = Read(Path.Combine(_folder, "run.values.safetensors"));
        Assert.Equal(
            $"{{\"{Empty}\":{{\"dtype\":\"F32\",\"shape\":[0,2],\"data_offsets\":[0,0]}},"
            + $"\"{Zeros}\":{{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}},"
            + $"\"{Ones}\":{{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[8,24]}}}}",
            header);
        Assert.Equal([0, 0, 1, 1, 1, 1], MemoryMarshal.Cast<byte, float>(data).ToArray());
        var lines = File.ReadAllText(file);
        Assert.Contains("\"values\":\"full\"", lines);
        Assert.Contains($"\"digest\":\"{Ones}\",\"data\":\"{Ones}\"", lines);
        Assert.Equal(2, Directory.GetFiles(_folder).Length);
    }

    [Fact]
    public void Larger_elements_come_first_and_bfloat16_is_widened()
    {
        using (HookTrace.Record(Called(out var call), Path.Combine(_folder, "run"), TraceValues.Full))
        {
            call(ones(1).to_type(ScalarType.BFloat16));
            call(ones(1).to_type(ScalarType.Bool));
            call(ones(1).to_type(ScalarType.Int64));
        }

        var (header, data) = Read(Path.Combine(_folder, "run.elements.safetensors"));
        Assert.Equal(["I64", "F32", "BOOL"], header.Split("\"dtype\":\"").Skip(1).Select(part => part.Split('"')[0]));
        Assert.Equal([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3F, 1], data);
    }

    [Fact]
    public void The_old_elements_are_restored_if_the_trace_cannot_be_written()
    {
        var file = Path.Combine(_folder, "run.jsonl");
        using (HookTrace.Record(Called(out var call), file, TraceValues.Full)) call(ones(4));
        var before = File.ReadAllBytes(Elements.ValuesFile(file));
        var elements = new Elements();
        elements.Add(Zeros, "<f4", [2], new byte[8]);
        Assert.Throws<IOException>(() => elements.Write(file, _ => throw new IOException("full")));
        Assert.Equal(before, File.ReadAllBytes(Elements.ValuesFile(file)));
        Assert.Equal(2, Directory.GetFiles(_folder).Length);
        var other = Path.Combine(_folder, "other.jsonl");
        Assert.Throws<IOException>(() => elements.Write(other, _ => throw new IOException("full")));
        Assert.False(File.Exists(Elements.ValuesFile(other)));
        // A complete file that cannot replace the old one.
        foreach (var (place, kept) in new[] { (file, before), (other, null) })
        {
            File.Delete(place);
            Assert.ThrowsAny<SystemException>(() => elements.Write(place, _ => Directory.CreateDirectory(place)));
            Assert.Equal(kept, File.Exists(Elements.ValuesFile(place)) ? File.ReadAllBytes(Elements.ValuesFile(place)) : null);
        }

        Assert.Single(Directory.GetFiles(_folder));
    }

    private static Given<Tensor, Tensor> Called(out Action<Tensor> call)
    {
        var module = new Given<Tensor, Tensor>(x => x.alias());
        call = x => module.call(x);
        return module;
    }

    private static (string Header, byte[] Data) Read(string file)
    {
        var bytes = File.ReadAllBytes(file);
        var length = (int)BinaryPrimitives.ReadInt64LittleEndian(bytes);
        Assert.Equal(0, length % 8);
        return (Encoding.ASCII.GetString(bytes, 8, length).TrimEnd(), bytes[(8 + length)..]);
    }
}
