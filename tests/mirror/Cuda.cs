using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>C# that asks for the device and moves tensors there by every name that TorchSharp has for it.</summary>
public sealed class OnDevice : Module<Tensor, Tensor>
{
    private readonly Linear layer = Linear(4, 4);

    public OnDevice() : base(nameof(OnDevice)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        if (!cuda.is_available() || cuda.device_count() < 1 || !cuda_is_available()) throw new InvalidOperationException("no device");
        cuda.manual_seed(3);
        var here = x.device;
        var parts = new[]
        {
            ones(4, device: here), full(4, 2, device: CUDA), arange(4, device: here).to(float32), tensor(new float[] { 1, 2, 3, 4 }).cuda(),
            zeros(4).to(CUDA), tensor(new float[] { 4, 3, 2, 1 }, device: here), rand(4, device: here), x.cpu().cuda(here)[0],
                ones_like(x)[0],
        };
        var sum = layer.call(x);
        foreach (var part in parts)
        {
            if (!part.is_cuda || part.device_type != DeviceType.CUDA || part.device_index != x.device_index)
                throw new InvalidOperationException(part.device.ToString());
            sum = sum + part;
        }

        cuda.synchronize();
        if (sum[0, 0].item<float>() != sum.cpu().data<float>()[0]) throw new InvalidOperationException("read before it was there");
        return sum;
    }
}

/// <summary>Makes and drops so many tensors of 64 MB on the input's device, each from the one before, without disposing of any.</summary>
public sealed class Dropping : Module<Tensor, long, Tensor>
{
    public Dropping() : base(nameof(Dropping)) { }

    public override Tensor forward(Tensor x, long count)
    {
        var large = x.expand(1 << 24).clone();
        for (var made = 0L; made < count; made++) large = large + 1;
        return large[0];
    }
}

/// <summary>An LSTM, normalization and dropout: layers that have code of their own on a device.</summary>
public sealed class Tagger : Module<Tensor, Tensor>
{
    private readonly LSTM lstm = LSTM(6, 5, numLayers: 2, batchFirst: true, bidirectional: true, dropout: 0.3);
    private readonly BatchNorm1d norm = BatchNorm1d(10);
    private readonly Dropout dropout = Dropout(0.4);
    private readonly Linear head = Linear(10, 3);

    public Tagger() : base(nameof(Tagger)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var (y, _, _) = lstm.call(x);
        return head.call(dropout.call(norm.call(y.select(1, -1))));
    }
}
