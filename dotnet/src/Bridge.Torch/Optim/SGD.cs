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
            /// <summary>Stochastic gradient descent, with momentum if <paramref name="momentum"/> is not 0.</summary>
            /// <remarks>
            /// With <paramref name="maximize"/>, the weight decay is added after the gradient is negated, as in PyTorch; TorchSharp adds
            /// the decay before.
            /// </remarks>
            public static SGD SGD(IEnumerable<Parameter> parameters, double learningRate, double momentum = 0, double dampening = 0,
                double weight_decay = 0, bool nesterov = false, bool maximize = false) =>
                new(parameters, learningRate, momentum, dampening, weight_decay, nesterov, maximize);

            public static SGD SGD(IEnumerable<(string name, Parameter parameter)> parameters, double learningRate, double momentum = 0,
                double dampening = 0, double weight_decay = 0, bool nesterov = false, bool maximize = false) =>
                new(parameters.Select(named => named.parameter), learningRate, momentum, dampening, weight_decay, nesterov, maximize);

            public static SGD SGD(IEnumerable<SGD.ParamGroup> parameters, double learningRate, double momentum = 0, double dampening = 0,
                double weight_decay = 0, bool nesterov = false, bool maximize = false) =>
                new(parameters, learningRate, momentum, dampening, weight_decay, nesterov, maximize);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.SGD(IEnumerable{Parameter}, double, double, double, double, bool, bool)"/>
    public class SGD : OptimizerHelper, IMomentum
    {
        public SGD(IEnumerable<Parameter> parameters, double lr, double momentum = 0, double dampening = 0, double weight_decay = 0,
            bool nesterov = false, bool maximize = false)
            : this([new ParamGroup { Parameters = parameters }], lr, momentum, dampening, weight_decay, nesterov, maximize)
        {
        }

        /// <exception cref="ArgumentException">
        /// A setting is out of its range, or <c>nesterov</c> is true without a momentum or with dampening.
        /// </exception>
        public SGD(IEnumerable<ParamGroup> parameters, double lr, double momentum = 0, double dampening = 0, double weight_decay = 0,
            bool nesterov = false, bool maximize = false)
        {
            Require(lr >= 0, "learning rate", lr);
            Require(momentum >= 0, "momentum value", momentum);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            if (nesterov && (momentum <= 0 || dampening != 0))
                throw new ArgumentException("Nesterov momentum requires a momentum and zero dampening");
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                momentum = momentum,
                dampening = dampening,
                weight_decay = weight_decay,
                nesterov = nesterov,
                maximize = maximize
            }, parameters);
        }

        /// <summary>Gets or sets the momentum of groups that are added later.</summary>
        public double Momentum
        {
            get => ((Options)_defaults).momentum!.Value;
            set => ((Options)_defaults).momentum = value;
        }

        private protected override OptimizerOptions NewOptions => new Options();

        private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);

        public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
            group =>
            {
                var options = group.Options;
                var momentum = options.momentum!.Value;
                foreach (var (parameter, rawGradient, state) in WithGradients<State>(group, options.maximize!.Value))
                {
                    var gradient = AddDecay(rawGradient, parameter, options.weight_decay!.Value);
                    if (momentum != 0)
                    {
                        if (state.momentum_buffer is null) state.momentum_buffer = gradient.detach().clone().DetachFromDisposeScope();
                        else state.momentum_buffer.mul_(momentum).add_(gradient, 1 - options.dampening!.Value);
                        gradient = options.nesterov!.Value ? gradient.add(state.momentum_buffer, momentum) : state.momentum_buffer;
                    }

                    parameter.add_(gradient, -options.LearningRate!.Value);
                }
            },
            closure);

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public Tensor? momentum_buffer;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                momentum_buffer = null;
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Optional(ref momentum_buffer);
            }
        }

        public class Options : OptimizerOptions
        {
            public double? momentum;
            public double? dampening;
            public double? weight_decay;
            public bool? nesterov;
            public bool? maximize;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref momentum);
                visitor.Next(ref dampening);
                visitor.Next(ref weight_decay);
                visitor.Next(ref nesterov);
                visitor.Next(ref maximize);
            }
        }

        public class ParamGroup : ParamGroup<Options>, IMomentum
        {
            public ParamGroup()
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, Options options) : base(parameters, options)
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 0.001, double momentum = 0, double dampening = 0,
                double weight_decay = 0, bool nesterov = false, bool maximize = false)
                : base(parameters, new()
                {
                    LearningRate = lr,
                    momentum = momentum,
                    dampening = dampening,
                    weight_decay = weight_decay,
                    nesterov = nesterov,
                    maximize = maximize
                })
            {
            }

            public double Momentum
            {
                get => Options.momentum!.Value;
                set => Options.momentum = value;
            }
        }
    }
}
