using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Reads its argument's elements in the ways that C# has.</summary>
public sealed class Elements : Module<Tensor, string, object?>
{
    public Elements() : base(nameof(Elements)) { }

    public override object? forward(Tensor input, string how) => how switch
    {
        "array" => (object)input.ToArray<float>(),
        "data" => input.data<float>().ToArray(),
        "bytes" => (long)input.bytes.Length,
        "size" => input.element_size(),
        "is_neg" => input.is_neg(),
        "is_conj" => input.is_conj(),
        "resolved" => input.resolve_conj().resolve_neg(),
        "fill" => Filled(input),
        "element" => Written(input, elements => elements[0] = 7),
        "elements" => Written(input, elements => elements.CopyFrom([7, 7])),
        "storage" => Stored(input),
        "streamed" => Streamed(input),
        "one" => (object)input.ReadCpuSingle(0),
        _ => throw new ArgumentException(how),
    };

    private static Tensor Filled(Tensor input)
    {
        input.bytes.Fill(0);
        return input;
    }

    private static Tensor Written(Tensor input, Action<TorchSharp.Utils.TensorAccessor<float>> write)
    {
        write(input.data<float>());
        return input;
    }

    private static Tensor Stored(Tensor input)
    {
        input.storage<float>().fill_(7);
        return input;
    }

    private static Tensor Streamed(Tensor input)
    {
        input.ReadBytesFromStream(new MemoryStream(new byte[4 * input.numel()]));
        return input;
    }
}
