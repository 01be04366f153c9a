using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class optim
        {
            /// <summary>Rectified Adam: corrects the first steps for the variance of the second moment.</summary>
            /// <remarks>Multiplies by the learning rate once, as PyTorch does. TorchSharp multiplies twice after the first steps.</remarks>
            public static RAdam RAdam(IEnumerable<Parameter> parameters, double lr = 0.002, double beta1 = 0.9, double beta2 = 0.999,
                double eps = 1e-8, double weight_decay = 0) =>
                new(parameters, lr, beta1, beta2, eps, weight_decay);

            public static RAdam RAdam(IEnumerable<(string name, Parameter parameter)> parameters, double lr = 0.002, double beta1 = 0.9,
                double beta2 = 0.999, double eps = 1e-8, double weight_decay = 0) =>
                new(parameters.Select(named => named.parameter), lr, beta1, beta2, eps, weight_decay);

            public static RAdam RAdam(IEnumerable<RAdam.ParamGroup> parameters, double lr = 0.002, double beta1 = 0.9, double beta2 = 0.999,
                double eps = 1e-8, double weight_decay = 0) =>
                new(parameters, lr, beta1, beta2, eps, weight_decay);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.RAdam(IEnumerable{Parameter}, double, double, double, double, double)"/>
    public class RAdam : OptimizerHelper, IBetas
    {
        public RAdam(IEnumerable<Parameter> parameters, double lr, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8,
            double weight_decay = 0)
            : this([new ParamGroup { Parameters = parameters }], lr, beta1, beta2, eps, weight_decay)
        {
        }

        /// <exception cref="ArgumentException">A setting is out of its range.</exception>
        public RAdam(IEnumerable<ParamGroup> parameters, double lr = 0.002, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8,
            double weight_decay = 0)
        {
            Require(lr >= 0, "learning rate", lr);
            Require(beta1 is >= 0 and <= 1, "beta1 value", beta1);
            Require(beta2 is >= 0 and <= 1, "beta2 value", beta2);
            Require(eps >= 0, "eps value", eps);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                beta1 = beta1,
                beta2 = beta2,
                eps = eps,
                weight_decay = weight_decay
            }, parameters);
        }

        /// <summary>Gets or sets the decay rates of the two moments for groups that are added later.</summary>
        public (double, double) Betas
        {
            get => (((Options)_defaults).beta1!.Value, ((Options)_defaults).beta2!.Value);
            set => (((Options)_defaults).beta1, ((Options)_defaults).beta2) = value;
        }

        private protected override OptimizerOptions NewOptions => new Options();

        private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);

        public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
            group =>
            {
                var options = group.Options;
                var (beta1, beta2) = (options.beta1!.Value, options.beta2!.Value);
                var limit = 2 / (1 - beta2) - 1;
                foreach (var (parameter, rawGradient, state) in WithGradients<State>(group))
                {
                    var step = ++state.step;
                    var (target, mean, square) = (Real(parameter), Real(state.exp_avg), Real(state.exp_avg_sq));
                    var gradient = AddDecay(Real(rawGradient), target, options.weight_decay!.Value);
                    mean.Lerp_(gradient, 1 - beta1);
                    square.mul_(beta2).addcmul_(gradient, gradient, 1 - beta2);
                    var correction = 1 - Math.Pow(beta2, step);
                    var length = limit - 2 * step * Math.Pow(beta2, step) / correction;
                    var change = mean / (1 - Math.Pow(beta1, step)) * options.LearningRate!.Value;
                    if (length > 5)
                    {
                        var rectified = Math.Pow((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length), 0.5);
                        change = change * (Math.Pow(correction, 0.5) / square.sqrt().add_(options.eps!.Value)) * rectified;
                    }

                    target.add_(change, -1.0);
                }
            },
            closure);

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public long step;
            public Tensor exp_avg = null!;
            public Tensor exp_avg_sq = null!;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                (step, exp_avg, exp_avg_sq) = (0, Zeros(), Zeros());
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Next(ref step);
                visitor.Next(ref exp_avg);
                visitor.Next(ref exp_avg_sq);
            }
        }

        public class Options : OptimizerOptions
        {
            public double? beta1;
            public double? beta2;
            public double? eps;
            public double? weight_decay;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref beta1);
                visitor.Next(ref beta2);
                visitor.Next(ref eps);
                visitor.Next(ref weight_decay);
            }
        }

        public class ParamGroup : ParamGroup<Options>, IBetas
        {
            public ParamGroup()
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, Options options) : base(parameters, options)
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 1, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8,
                double weight_decay = 0)
                : base(parameters, new() { LearningRate = lr, beta1 = beta1, beta2 = beta2, eps = eps, weight_decay = weight_decay })
            {
            }

            public (double, double) Betas
            {
                get => (Options.beta1!.Value, Options.beta2!.Value);
                set => (Options.beta1, Options.beta2) = value;
            }
        }
    }
}
