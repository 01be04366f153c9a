using System;
using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Own
{
    public enum Pooling
    {
        Sum,
        Mean,
    }

    public class Options
    {
        public int VocabSize { get; set; } = 10;
        public int Dim { get; init; } = 4;
        public Pooling Pooling { get; set; } = Pooling.Sum;
        public List<int> Sizes = new() { 1 };
        public Func<Tensor, Tensor> Activation { get; set; }
        public int Area => VocabSize * Dim;

        public static Options Small(int dim) => new() { VocabSize = 5, Dim = dim };

        public string Describe(string prefix, int width = 2) => $"{prefix}:{VocabSize}x{Dim}:{width}";

        public class Nested
        {
            public (int, string) Pair { get; set; }
            public Span Range { get; set; }
        }
    }

    public record Input(Tensor Ids, Tensor Mask = null);

    public readonly record struct Span(int From, int To);

    public class Output
    {
        public Tensor Hidden { get; set; }
        public List<Tensor> Layers { get; } = new();
        public int Steps;
    }

    public class Cache
    {
        public Tensor Keys { get; set; }
    }

    public class Encoder : Module<Input, Output>
    {
        private readonly Linear fc;
        private readonly Options options;

        public Encoder(Options options) : base(nameof(Encoder))
        {
            this.options = options;
            fc = Linear(options.Dim, options.Dim);
            RegisterComponents();
        }

        public override Output forward(Input input)
        {
            var x = fc.call(input.Ids);
            if (options.Activation is not null) x = options.Activation(x);
            if (input.Mask is not null) x = x * input.Mask;
            var output = new Output { Hidden = options.Pooling == Pooling.Sum ? x.sum(1) : x.mean(new long[] { 1 }), Steps = 1 };
            output.Layers.Add(x);
            return output;
        }
    }

    public class Whole : Module<Tensor, Output>
    {
        private readonly Encoder encoder;
        private readonly Gate gate;

        public Whole(int dim) : base(nameof(Whole))
        {
            encoder = new Encoder(new Options { Dim = dim });
            gate = new Gate(dim);
            RegisterComponents();
        }

        public override Output forward(Tensor x)
        {
            var output = encoder.call(new Input(x));
            output.Hidden = gate.call(output.Hidden, y => y.tanh() + output.Steps);
            return output;
        }
    }

    public class Gate : Module<Tensor, Func<Tensor, Tensor>, Tensor>
    {
        private readonly Linear fc;

        public Gate(int dim) : base(nameof(Gate))
        {
            fc = Linear(dim, dim);
            RegisterComponents();
        }

        public override Tensor forward(Tensor x, Func<Tensor, Tensor> activation) => activation(fc.call(x));
    }

    public class Attend : Module<Tensor, Cache, Tensor>
    {
        private readonly Linear fc = Linear(2, 2);

        public Attend() : base(nameof(Attend)) => RegisterComponents();

        public override Tensor forward(Tensor x, Cache cache)
        {
            var keys = fc.call(x);
            cache.Keys = cache.Keys is null ? keys : cat(new[] { cache.Keys, keys }, 0);
            return cache.Keys.sum(new long[] { 0 });
        }
    }

    public class Sequences : Module<Tensor, IEnumerable<int>, (Tensor, int)[], HashSet<int>, Tensor>
    {
        public Sequences() : base(nameof(Sequences)) => RegisterComponents();

        public override Tensor forward(Tensor x, IEnumerable<int> sizes, (Tensor, int)[] pairs, HashSet<int> set) =>
            x * sizes.Sum() + pairs.Aggregate(zeros(1), (sum, pair) => sum + pair.Item1 * pair.Item2) + set.Count;
    }

    public class Placed : Module<Tensor, Device, Tensor>
    {
        private readonly Parameter weight;
        private readonly Span span;

        public Placed(Device device, ScalarType dtype, Span span = default, Options.Nested nested = null) : base(nameof(Placed))
        {
            this.span = span;
            weight = Parameter(ones(2, dtype: dtype, device: device) * (nested?.Pair.Item1 ?? 1));
            RegisterComponents();
        }

        public override Tensor forward(Tensor x, Device device) => x.to(device) * weight + span.From + span.To;
    }

    public class Overloaded : Module<Tensor, Tensor>
    {
        private readonly Linear fc = Linear(2, 2);

        public Overloaded() : base(nameof(Overloaded)) => RegisterComponents();

        public override Tensor forward(Tensor x) => fc.call(x);

        public Tensor forward(Tensor x, Tensor mask) => fc.call(x) * mask;

        public Tensor forward(Tensor x, int repeat, double scale = 0.5) => fc.call(x).repeat(repeat, 1) * scale;
    }

    public class Plain : Module
    {
        private readonly Linear fc = Linear(2, 2);

        public Plain() : base(nameof(Plain)) => RegisterComponents();

        public Tensor Forward(Tensor x) => fc.call(x);

        public Tensor Generate(Tensor x, int steps)
        {
            for (var i = 0; i < steps; i++) x = fc.call(x);
            return x;
        }
    }

    public abstract class Shape
    {
    }

    public class Wrapper : Module<Tensor, Tensor>
    {
        private readonly Module<Tensor, Tensor> inner;

        public Wrapper(Module<Tensor, Tensor> inner) : base(nameof(Wrapper))
        {
            this.inner = inner;
            RegisterComponents();
        }

        public override Tensor forward(Tensor x) => inner.call(x) + 1;
    }

    public class Unusual : Module<object, object>
    {
        public Unusual() : base(nameof(Unusual)) => RegisterComponents();

        public override object forward(object value) => value switch
        {
            "device" => torch.CPU,
            "map" => new Dictionary<int, string> { [1] = "one", [2] = "two" },
            "enum" => Pooling.Mean,
            "span" => new Span(1, 2),
            _ => value,
        };
    }
}
