using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Loading;

/// <summary>A net that a static method trains with a data loader.</summary>
public sealed class Net : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(3, 1);

    public Net() : base(nameof(Net)) => RegisterComponents();

    public override Tensor forward(Tensor x) => fc.call(x);

    /// <summary>A net after one epoch of SGD on ten points, in the order that seed 42 gives.</summary>
    public static Net Fit(int workers)
    {
        var net = new Net();
        var x = arange(30, dtype: float32).reshape(10, 3) / 30;
        var optimizer = optim.SGD(net.parameters(), 0.1);
        using var loader = torch.utils.data.DataLoader(new Points(x), 3, shuffle: true, seed: 42, num_worker: workers);
        foreach (var batch in loader)
        {
            using var loss = functional.mse_loss(net.call(batch["x"]), batch["y"]);
            optimizer.zero_grad();
            loss.backward();
            optimizer.step();
        }

        return net;
    }
}

public sealed class Points : torch.utils.data.Dataset
{
    private readonly Tensor x;

    public Points(Tensor x) => this.x = x;

    public override long Count => x.shape[0];

    public override Dictionary<string, Tensor> GetTensor(long index) => new() { ["x"] = x[index], ["y"] = x[index].sum(0, keepdim: true) };
}

/// <summary>Reads the input's rows in batches, each row through a layer on the loader's threads.</summary>
public sealed class Rows : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(3, 2);
    private readonly int workers;

    public Rows(int workers) : base(nameof(Rows))
    {
        this.workers = workers;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        using var rows = new DataLoader<Tensor, Tensor>(new Projected(x, fc), 2, (items, _) => stack(items.ToArray()), num_worker: workers,
            disposeBatch: false);
        return cat(rows.ToArray());
    }

    private sealed class Projected : torch.utils.data.Dataset<Tensor>
    {
        private readonly Tensor x;
        private readonly Module<Tensor, Tensor> layer;

        public Projected(Tensor x, Module<Tensor, Tensor> layer) => (this.x, this.layer) = (x, layer);

        public override long Count => x.shape[0];

        public override Tensor GetTensor(long index) => layer.call(x[index]);
    }
}

/// <summary>The input in batches of two rows and back.</summary>
public sealed class Batched : Module<Tensor, Tensor>
{
    public Batched() : base(nameof(Batched)) { }

    public override Tensor forward(Tensor x)
    {
        using IterableDataLoader loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.neg()), 2, drop_last: true);
        return cat(loader.Select(batch => batch[0] - batch[1]).ToArray());
    }
}
