using System.Runtime.InteropServices;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class optim
    {
        /// <summary>The base class of optimizers.</summary>
        /// <remarks>
        /// Unlike TorchSharp's class, this class has no finalizer: a copy of a module copies an optimizer in a field of the module, but
        /// shares objects with a finalizer.
        /// </remarks>
        public abstract class Optimizer : IDisposable
        {
            protected IList<ParamGroup> _parameter_groups = [];

            /// <param name="handle">Zero: Bridge.Torch has no optimizers in native code.</param>
            /// <exception cref="NotSupportedException"><paramref name="handle"/> is not zero.</exception>
            protected Optimizer(IntPtr handle)
            {
                if (handle != IntPtr.Zero)
                    throw new NotSupportedException(
                        "Optimizer(IntPtr) takes an optimizer of TorchSharp's native library, which Bridge.Torch does not have; use "
                        + "torch.optim's functions.");
            }

            /// <summary>Gets the groups of parameters, each with its own learning rate.</summary>
            public virtual IEnumerable<ILearningRateController> ParamGroups => _parameter_groups;

            /// <summary>A native function that computes the loss.</summary>
            [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
            public delegate IntPtr LossClosure();

            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            protected virtual void Dispose(bool disposing)
            {
            }

            /// <summary>
            /// Sets the gradients of all parameters to zero, in place, as TorchSharp does. Gradients that are null stay null.
            /// </summary>
            public virtual void zero_grad()
            {
                using var off = no_grad();
                foreach (var parameter in parameters())
                {
                    using var gradient = parameter.grad;
                    if (gradient is null) continue;
                    // The gradient may have a graph, from backward(create_graph: true).
                    using var plain = gradient.detach();
                    plain.zero_();
                }
            }

            /// <summary>Adds parameters with their own settings.</summary>
            /// <exception cref="NotSupportedException">The optimizer has one group only.</exception>
            public virtual void add_param_group(ParamGroup param_group) =>
                throw new NotSupportedException($"{GetType().Name} has one group of parameters only.");

            /// <summary>Updates the parameters once.</summary>
            /// <param name="closure">Computes the loss and its gradients; it runs before the update.</param>
            /// <returns>The result of <paramref name="closure"/>, or null without a closure.</returns>
            /// <exception cref="NotSupportedException">The optimizer's class does not override this method.</exception>
            public virtual Tensor? step(Func<Tensor>? closure = null) =>
                throw new NotSupportedException($"{GetType().Name} does not override step.");

            public virtual IEnumerable<Parameter> parameters() => _parameter_groups.SelectMany(group => group.Parameters);

            /// <summary>
            /// The state of an optimizer: the settings of each group, the state of each parameter, and for each group the indices of its
            /// parameters in <see cref="State"/>.
            /// </summary>
            public class StateDictionary
            {
                internal StateDictionary()
                {
                }

                public List<OptimizerOptions> Options { get; } = [];

                public List<OptimizerState> State { get; } = [];

                public List<List<int>> StateIndexRef { get; } = [];
            }
        }

        /// <summary>An optimizer or group with a learning rate, which schedulers set.</summary>
        public interface ILearningRateController
        {
            double LearningRate { get; set; }

            double InitialLearningRate { get; set; }
        }

        /// <summary>An optimizer or group with a momentum, which some schedulers set.</summary>
        public interface IMomentum
        {
            double Momentum { get; set; }
        }

        /// <summary>An optimizer or group with the decay rates of two moments. Some schedulers set the first rate.</summary>
        public interface IBetas
        {
            (double, double) Betas { get; set; }
        }
    }
}
