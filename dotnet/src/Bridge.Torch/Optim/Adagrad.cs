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
            /// <summary>Adagrad: divides the gradient by the square root of the sum of squared gradients.</summary>
            public static Adagrad Adagrad(IEnumerable<Parameter> parameters, double lr = 0.01, double lr_decay = 0, double weight_decay = 0,
                double initial_accumulator_value = 0, double eps = 1e-10) =>
                new(parameters, lr, lr_decay, weight_decay, initial_accumulator_value, eps);

            public static Adagrad Adagrad(IEnumerable<(string name, Parameter parameter)> parameters, double lr = 0.01, double lr_decay = 0,
                double weight_decay = 0, double initial_accumulator_value = 0, double eps = 1e-10) =>
                new(parameters.Select(named => named.parameter), lr, lr_decay, weight_decay, initial_accumulator_value, eps);

            public static Adagrad Adagrad(IEnumerable<Adagrad.ParamGroup> parameters, double lr = 0.01, double lr_decay = 0,
                double weight_decay = 0, double initial_accumulator_value = 0, double eps = 1e-10) =>
                new(parameters, lr, lr_decay, weight_decay, initial_accumulator_value, eps);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.Adagrad(IEnumerable{Parameter}, double, double, double, double, double)"/>
    public class Adagrad : OptimizerHelper
    {
        public Adagrad(IEnumerable<Parameter> parameters, double lr = 0.01, double lr_decay = 0, double weight_decay = 0,
            double initial_accumulator_value = 0, double eps = 1e-10)
            : this([new ParamGroup { Parameters = parameters }], lr, lr_decay, weight_decay, initial_accumulator_value, eps)
        {
        }

        /// <exception cref="ArgumentException">A setting is out of its range.</exception>
        public Adagrad(IEnumerable<ParamGroup> parameters, double lr = 0.01, double lr_decay = 0, double weight_decay = 0,
            double initial_accumulator_value = 0, double eps = 1e-10)
        {
            Require(lr >= 0, "learning rate", lr);
            Require(eps >= 0, "eps value", eps);
            Require(lr_decay >= 0, "lr decay value", lr_decay);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            Require(initial_accumulator_value >= 0, "initial_accumulator_value value", initial_accumulator_value);
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                lr_decay = lr_decay,
                initial_accumulator_value = initial_accumulator_value,
                eps = eps,
                weight_decay = weight_decay
            }, parameters);
        }

        private protected override OptimizerOptions NewOptions => new Options();

        private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);

        public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
            group =>
            {
                var options = group.Options;
                foreach (var (parameter, rawGradient, state) in WithGradients<State>(group))
                {
                    state.step++;
                    var gradient = Real(AddDecay(rawGradient, parameter, options.weight_decay!.Value));
                    var rate = options.LearningRate!.Value / (1 + (state.step - 1) * options.lr_decay!.Value);
                    var root = Real(state.sum).addcmul_(gradient, gradient, 1).sqrt().add_(options.eps!.Value);
                    Real(parameter).addcdiv_(gradient, root, -rate);
                }
            },
            closure);

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public long step;
            public Tensor sum = null!;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                (step, sum) = (0, Zeros());
                using var numbers = Real(sum).alias();
                numbers.fill_(((Options)options).initial_accumulator_value!.Value);
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Next(ref step);
                visitor.Next(ref sum);
            }
        }

        public class Options : OptimizerOptions
        {
            public double? lr_decay;
            public double? initial_accumulator_value;
            public double? eps;
            public double? weight_decay;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref lr_decay);
                visitor.Next(ref initial_accumulator_value);
                visitor.Next(ref eps);
                visitor.Next(ref weight_decay);
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

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 0.01, double lr_decay = 0, double weight_decay = 0,
                double initial_accumulator_value = 0, double eps = 1e-10)
                : base(parameters, new()
                {
                    LearningRate = lr,
                    lr_decay = lr_decay,
                    weight_decay = weight_decay,
                    initial_accumulator_value = initial_accumulator_value,
                    eps = eps
                })
            {
            }
        }
    }
}
