using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>
/// TorchSharp's file format of weights: the number of entries, then for each entry its name, element type, number of dimensions, sizes, and
/// elements in C order.
/// </summary>
/// <remarks>Numbers are LEB128, names as <see cref="BinaryWriter"/> writes them, elements little-endian.</remarks>
internal static unsafe class WeightFile
{
    private const int Block = 1 << 26;

    internal static void WriteNumber(BinaryWriter writer, long value) => writer.Write7BitEncodedInt64(value);

    /// <exception cref="EndOfStreamException">The file ends within the number.</exception>
    /// <exception cref="FormatException">The number has more than 64 bits.</exception>
    internal static long ReadNumber(BinaryReader reader) => reader.Read7BitEncodedInt64();

    internal static void Write(BinaryWriter writer, Tensor tensor)
    {
        var shape = tensor.Sizes;
        WriteNumber(writer, (int)tensor.dtype);
        WriteNumber(writer, shape.Length);
        foreach (var size in shape) WriteNumber(writer, size);
        using var off = no_grad();
        using var onCpu = tensor.to(new Device(DeviceType.CPU));
        using var plain = onCpu.resolve_conj();
        using var positive = plain.resolve_neg();
        using var packed = positive.contiguous();
        var data = (byte*)packed.Memory("save");
        var length = packed.numel() * packed.element_size();
        for (var at = 0L; at < length; at += Block) writer.Write(new ReadOnlySpan<byte>(data + at, (int)Math.Min(Block, length - at)));
    }

    /// <summary>Reads an entry's tensor into a tensor of the same type and shape.</summary>
    /// <param name="reader">The reader of the file.</param>
    /// <param name="name">The entry's name; null if it is unknown.</param>
    /// <param name="target">The tensor to overwrite.</param>
    /// <exception cref="ArgumentException">The entry has another type or shape.</exception>
    /// <exception cref="EndOfStreamException">The file ends within the entry.</exception>
    /// <exception cref="FormatException">A number has more than 64 bits.</exception>
    internal static void Read(BinaryReader reader, string? name, Tensor target)
    {
        using var off = no_grad();
        using var read = ReadFor(target, reader, name);
        target.copy_(read);
    }

    /// <summary>Reads an entry's tensor for a tensor of the same type and shape, which is not changed.</summary>
    /// <param name="target">The tensor.</param>
    /// <param name="reader">The reader of the file.</param>
    /// <param name="name">The entry's name; null if it is unknown.</param>
    /// <exception cref="ArgumentException">The entry has another type or shape.</exception>
    /// <exception cref="EndOfStreamException">The file ends within the entry.</exception>
    /// <exception cref="FormatException">A number has more than 64 bits.</exception>
    internal static Tensor ReadFor(Tensor target, BinaryReader reader, string? name)
    {
        var (type, shape) = ReadHead(reader);
        var what = name is null ? "the tensor" : $"'{name}'";
        if (type != target.dtype)
            throw new ArgumentException(
                $"Mismatched tensor data types while loading: {what} is {type} in the file and {target.dtype} in memory.");
        if (!shape.AsSpan().SequenceEqual(target.Sizes))
            throw new ArgumentException(
                $"Mismatched tensor shape while loading: {what} is [{string.Join(", ", shape)}] in the file and "
                + $"[{string.Join(", ", target.Sizes)}] in memory.");
        return ReadElements(reader, name, type, shape);
    }

    /// <summary>Reads an entry's tensor.</summary>
    /// <param name="reader">The reader of the file.</param>
    /// <param name="skip">Whether to skip the elements and return zeros.</param>
    /// <exception cref="EndOfStreamException">The file ends within the entry.</exception>
    /// <exception cref="FormatException">A number has more than 64 bits.</exception>
    internal static Tensor Read(BinaryReader reader, bool skip = false)
    {
        var (type, shape) = ReadHead(reader);
        if (!skip) return ReadElements(reader, null, type, shape);
        SkipElements(reader, type, shape);
        return zeros(shape, type, new Device(DeviceType.CPU));
    }

    internal static void Skip(BinaryReader reader)
    {
        var (type, shape) = ReadHead(reader);
        SkipElements(reader, type, shape);
    }

    private static Tensor ReadElements(BinaryReader reader, string? name, ScalarType type, long[] shape)
    {
        var read = empty(shape, type, new Device(DeviceType.CPU));
        var data = (byte*)read.Memory("load", write: true);
        var length = read.numel() * read.element_size();
        for (var at = 0L; at < length;)
        {
            var count = reader.Read(new Span<byte>(data + at, (int)Math.Min(Block, length - at)));
            if (count == 0)
            {
                read.Dispose();
                throw new EndOfStreamException(
                    $"The file ends within {(name is null ? "a tensor" : $"'{name}'")}, {at} of {length} bytes were read.");
            }

            at += count;
        }

        return read;
    }

    private static void SkipElements(BinaryReader reader, ScalarType type, long[] shape)
    {
        var length = shape.Aggregate((long)Native.Abi.dtype_size((int)type), (product, size) => product * size);
        var buffer = new byte[Math.Min(length, 1 << 16)];
        while (length > 0)
        {
            var count = reader.Read(buffer, 0, (int)Math.Min(buffer.Length, length));
            if (count == 0) throw new EndOfStreamException("The file ends within a tensor.");
            length -= count;
        }
    }

    private static (ScalarType Type, long[] Shape) ReadHead(BinaryReader reader)
    {
        var type = (ScalarType)ReadNumber(reader);
        var shape = new long[ReadNumber(reader)];
        for (var i = 0; i < shape.Length; i++) shape[i] = ReadNumber(reader);
        return (type, shape);
    }
}
