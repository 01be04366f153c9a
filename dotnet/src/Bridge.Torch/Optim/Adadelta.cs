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
            /// <summary>Adadelta: scales each step by the root mean square of the previous steps.</summary>
            /// <remarks>The state's step count increases, as in PyTorch; in TorchSharp it stays 0.</remarks>
            public static Adadelta Adadelta(IEnumerable<Parameter> parameters, double lr = 1, double rho = 0.9, double eps = 1e-6,
                double weight_decay = 0, bool maximize = false) =>
                new(parameters, lr, rho, eps, weight_decay, maximize);

            public static Adadelta Adadelta(IEnumerable<(string name, Parameter parameter)> parameters, double lr = 1, double rho = 0.9,
                double eps = 1e-6, double weight_decay = 0, bool maximize = false) =>
                new(parameters.Select(named => named.parameter), lr, rho, eps, weight_decay, maximize);

            public static Adadelta Adadelta(IEnumerable<Adadelta.ParamGroup> parameters, double lr = 1, double rho = 0.9, double eps = 1e-6,
                double weight_decay = 0, bool maximize = false) =>
                new(parameters, lr, rho, eps, weight_decay, maximize);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.Adadelta(IEnumerable{Parameter}, double, double, double, double, bool)"/>
    public class Adadelta : OptimizerHelper
    {
        public Adadelta(IEnumerable<Parameter> parameters, double lr, double rho = 0.9, double eps = 1e-6, double weight_decay = 0,
            bool maximize = false)
            : this([new ParamGroup { Parameters = parameters }], lr, rho, eps, weight_decay, maximize)
        {
        }

        /// <exception cref="ArgumentException">A setting is out of its range.</exception>
        public Adadelta(IEnumerable<ParamGroup> parameters, double lr = 1, double rho = 0.9, double eps = 1e-6, double weight_decay = 0,
            bool maximize = false)
        {
            Require(lr >= 0, "learning rate", lr);
            Require(rho is >= 0 and <= 1, "rho value", rho);
            Require(eps >= 0, "eps value", eps);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                rho = rho,
                eps = eps,
                weight_decay = weight_decay,
                maximize = maximize
            }, parameters);
        }

        private protected override OptimizerOptions NewOptions => new Options();

        private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);

        public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
            group =>
            {
                var options = group.Options;
                var (rho, eps) = (options.rho!.Value, options.eps!.Value);
                foreach (var (parameter, rawGradient, state) in WithGradients<State>(group, options.maximize!.Value))
                {
                    state.step++;
                    var gradient = Real(AddDecay(rawGradient, parameter, options.weight_decay!.Value));
                    var (square, steps) = (Real(state.square_avg), Real(state.acc_delta));
                    var root = square.mul_(rho).addcmul_(gradient, gradient, 1 - rho).add(eps).sqrt_();
                    var delta = steps.add(eps).sqrt_().div_(root).mul_(gradient);
                    steps.mul_(rho).addcmul_(delta, delta, 1 - rho);
                    parameter.add_(parameter.is_complex() ? delta.view_as_complex() : delta, -options.LearningRate!.Value);
                }
            },
            closure);

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public long step;
            public Tensor square_avg = null!;
            public Tensor acc_delta = null!;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                (step, square_avg, acc_delta) = (0, Zeros(), Zeros());
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Next(ref step);
                visitor.Next(ref square_avg);
                visitor.Next(ref acc_delta);
            }
        }

        public class Options : OptimizerOptions
        {
            public double? rho;
            public double? eps;
            public double? weight_decay;
            public bool? maximize;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref rho);
                visitor.Next(ref eps);
                visitor.Next(ref weight_decay);
                visitor.Next(ref maximize);
            }
        }

        public class ParamGroup : ParamGroup<Options>
        {
            public ParamGroup()
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, Options options) : base(parameters, options)
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 1, double rho = 0.9, double eps = 1e-6,
                double weight_decay = 0, bool maximize = false)
                : base(parameters, new() { LearningRate = lr, rho = rho, eps = eps, weight_decay = weight_decay, maximize = maximize })
            {
            }
        }
    }
}
