// Calls of the members that TorchSharp 0.107 no longer has, compiled against signatures with those members in place of the current ones.
using System;
using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace OldVersions;

public sealed class Member : Module<Tensor, Tensor>
{
    private readonly string name;

    public Member(string name) : base(nameof(Member)) => this.name = name;

    public override Tensor forward(Tensor x) => name switch
    {
        "grad" => Grad(x),
        "to type" => x.to(ScalarType.Float64),
        "to type, copy" => Copied(x, x.to(ScalarType.Float32, true, false)),
        "to type, dispose" => Disposed(x + 1, made => made.to(ScalarType.Float64, false, true)),
        "to device" => x.to(CPU, true, false),
        "to type and device" => x.to(ScalarType.Float64, CPU, true, false),
        "to device type" => x.to(DeviceType.CPU, -1, true, false),
        "to text" => x.to("cpu", true, false),
        "to tensor" => x.to(ones(1, ScalarType.Float64)),
        "to_type" => x.to_type(ScalarType.Int64, false, false),
        "cuda" => Refused(() => x.cuda(CPU)),
        "softplus" => x.softplus(),
        "softplus of integers" => x.softplus(2, 3),
        "var" => x.var(new long[] { 0, 2 }, true),
        "var without keepdim" => x.var(new long[] { 1 }, false, null),
        "avg_pool2d" => functional.avg_pool2d(x, new long[] { 2, 2 }),
        "avg_pool2d of numbers" => functional.avg_pool2d(x, 2),
        "avg_pool2d of pairs" => functional.avg_pool2d(x, (2, 1), null, (1, 0), false, false),
        "avg_pool3d" => functional.avg_pool3d(x, new long[] { 2, 2, 2 }),
        "avg_pool2d_backward" => functional.avg_pool2d_backward(x[.., .., 1.., 1..], x, new long[] { 2, 2 }),
        "avg_pool3d_backward" =>
            functional.avg_pool3d_backward(x[.., 1.., 1.., 1..], x, new long[] { 2, 2, 2 }, null, null, false, true, 3),
        "interpolate" => functional.interpolate(x, scale_factor: new double[] { 2, 2 }),
        "max_unpool2d" => functional.max_unpool2d(x, Indices(x, 2), new long[] { 9, 7 }),
        "max_unpool3d" =>
            functional.max_unpool3d(x, Indices(x, 3), new long[] { 3, 5, 9 }, new long[] { 1, 1, 1 }, new long[] { 0, 0, 0 }),
        "functional softplus" => functional.softplus(x, 2, 3),
        "AvgPool1d" => AvgPool1d(2, divisor_override: 7).call(x[0]),
        "Upsample" => Upsample(scale_factor: new double[] { 2, 2 }).call(x),
        "Softplus" => Plus(Softplus(1, 20)).call(x),
        "PolynomialLR" => Rates(optimizer => optim.lr_scheduler.PolynomialLR(optimizer, 4, 2)),
        "new PolynomialLR" => Rates(optimizer => new optim.lr_scheduler.impl.PolynomialLR(optimizer, 4, 2)),
        "scope" => Scoped(x),
        "loaders" => tensor(new long[] { Loaders().Sum(loader => loader) }),
        "modules" => Modules(),
        "overrides" => Overridden(),
        _ => throw new ArgumentException(name),
    };

    private static Tensor Grad(Tensor x)
    {
        var leaf = x.detach().requires_grad_();
        if (leaf.grad() is not null) throw new InvalidOperationException("a leaf without backward has a gradient");
        (leaf * leaf).sum().backward();
        return leaf.grad() + 0;
    }

    private static Tensor Copied(Tensor x, Tensor copy)
    {
        copy.add_(1);
        return copy - x;
    }

    private static Tensor Disposed(Tensor made, Func<Tensor, Tensor> convert)
    {
        var result = convert(made);
        return made.IsInvalid ? result : throw new InvalidOperationException("not disposed");
    }

    private static Tensor Refused(Action call)
    {
        try
        {
            call();
        }
        catch (ArgumentException error) when (error.Message.Contains("CUDA"))
        {
            return ones(1);
        }

        throw new InvalidOperationException("not refused");
    }

    // Where each value goes, in reverse order.
    private static Tensor Indices(Tensor x, int spatial)
    {
        var each = x.shape.Skip((int)x.dim() - spatial).Aggregate((a, b) => a * b);
        return arange(each, ScalarType.Int64).flip(0).expand(x.numel() / each, each).reshape(x.shape);
    }

    private static Softplus Plus(Softplus made)
    {
        if ((made.beta, made.threshold) != (1, 20)) throw new InvalidOperationException("other parameters");
        made.beta = 2;
        made.threshold = 3;
        return made;
    }

    private static Tensor Rates(Func<optim.Optimizer, optim.lr_scheduler.LRScheduler> make)
    {
        var optimizer = optim.SGD(new[] { new Parameter(ones(1)) }, 1.0);
        var scheduler = make(optimizer);
        var rates = new List<double>();
        for (var i = 0; i < 5; i++)
        {
            rates.Add(optimizer.ParamGroups.First().LearningRate);
            scheduler.step();
        }

        return tensor(rates.ToArray());
    }

    private static Tensor Scoped(Tensor x)
    {
        var (ended, inner) = (new Ended(), x + 1);
        Tensor outer;
        using (var scope = new DisposeScope(new DisposeScopeManager()))
        {
            outer = x + 2;
            scope.Include(inner);
            scope.Include(scope.Include(ended));
            if (scope.DisposablesCount != 2 || !scope.DisposablesView.Contains(ended))
                throw new InvalidOperationException("not included");
        }

        return ended.Times == 1 && inner.IsInvalid ? outer : throw new InvalidOperationException("not disposed");
    }

    private static IEnumerable<long> Loaders()
    {
        var order = new long[] { 2, 0, 1 };
        using (var loader = torch.utils.data.DataLoader(new Named(), 2))
            yield return loader.Select(batch => batch["x"].sum().ToInt64()).Sum();
        using (var loader = torch.utils.data.DataLoader(new Named(), 2, order))
            yield return loader.Select(batch => batch["x"].sum().ToInt64()).First();
        using (var loader = torch.utils.data.DataLoader(new Listed(), 2))
            yield return loader.Select(batch => batch[0].sum().ToInt64()).First();
        using (var loader = torch.utils.data.DataLoader(new Listed(), 2, order))
            yield return loader.Select(batch => batch[0].sum().ToInt64()).First();
        using (var loader = new DataLoader(new Named(), 2))
            yield return loader.Count;
        using (var loader = new DataLoader(new Named(), 2, order))
            yield return loader.Count;
        using (var loader = new IterableDataLoader(new Listed(), 2))
            yield return loader.Count;
        using (var loader = new IterableDataLoader(new Listed(), 2, order))
            yield return loader.Count;
        using (var loader = new DataLoader<long, long>(new Numbers(), 2, (all, _) => all.Sum()))
            yield return loader.Sum();
        using (var loader = new DataLoader<long, long>(new Numbers(), 2, (all, _) => all.Sum(), order))
            yield return loader.First();
    }

    private static Tensor Modules()
    {
        var types = new List<ScalarType>();
        Note(Linear(1, 1).to(ScalarType.Float64));
        Note(Linear(1, 1).to(CPU, ScalarType.Float64));
        Note(Linear(1, 1).to(ones(1, ScalarType.Float64)));
        Note(Linear(1, 1).half());
        Note(Linear(1, 1).bfloat16());
        Note(Linear(1, 1).@double());
        Note(Linear(1, 1).@float());
        Note(Linear(1, 1).cfloat());
        Note(Linear(1, 1).cdouble());
        Note(Linear(1, 1).to(CPU).to("cpu").to(DeviceType.CPU).cpu());
        foreach (var integral in new Func<Linear, Linear>[] { m => m.@bool(), m => m.@byte(), m => m.@char(), m => m.@short() })
            Refuse(integral);
        foreach (var integral in new Func<Linear, Linear>[] { m => m.@int(), m => m.@long() })
            Refuse(integral);
        return tensor(types.Select(type => (long)type).ToArray());

        void Note(Linear layer) => types.Add(layer.weight!.dtype);

        void Refuse(Func<Linear, Linear> convert)
        {
            try
            {
                convert(Linear(1, 1));
            }
            catch (ArgumentException)
            {
                return;
            }

            throw new InvalidOperationException("not refused");
        }
    }

    private static Tensor Overridden()
    {
        var counting = new Counting();
        var outer = Sequential(("counting", counting));
        outer.to(ScalarType.Float64);
        outer.to(CPU);
        outer.to(CPU, ScalarType.Float32);
        return tensor(counting.Calls.ToArray());
    }

    private sealed class Counting : Module<Tensor, Tensor>
    {
        public readonly List<long> Calls = new();
        private readonly Parameter weight = new(ones(1));

        public Counting() : base(nameof(Counting)) => RegisterComponents();

        public override Tensor forward(Tensor x) => x * weight;

        protected override Module _to(ScalarType dtype)
        {
            _toEpilog(dtype);
            Calls.Add((long)weight.dtype);
            return base._to(dtype);
        }

        protected override Module _to(DeviceType deviceType, int deviceIndex = -1)
        {
            Calls.Add(100);
            _toEpilog(deviceType, deviceIndex);
            return base._to(deviceType, deviceIndex);
        }

        protected override Module _to(Device device, ScalarType dtype)
        {
            _toEpilog(device, dtype);
            Calls.Add((long)((Counting)base._to(device, dtype)._to(weight)).weight.dtype);
            return this;
        }
    }

    private sealed class Ended : IDisposable
    {
        public int Times { get; private set; }

        public void Dispose() => Times++;
    }

    private sealed class Named : torch.utils.data.Dataset
    {
        public override long Count => 3;

        public override Dictionary<string, Tensor> GetTensor(long index) => new() { ["x"] = tensor(index) };
    }

    private sealed class Listed : torch.utils.data.IterableDataset
    {
        public override long Count => 3;

        public override IList<Tensor> GetTensor(long index) => new[] { tensor(index) };
    }

    private sealed class Numbers : torch.utils.data.Dataset<long>
    {
        public override long Count => 3;

        public override long GetTensor(long index) => index;
    }
}
