using System.Runtime.InteropServices;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class optim
    {
        /// <summary>The base class of optimizers.</summary>
        /// <remarks>
        /// Unlike TorchSharp's class, this class has no finalizer. When a module is copied, the copy gets its own copy of an optimizer in a
        /// field of the module; an object with a finalizer would be shared by both modules.
        /// </remarks>
        public abstract class Optimizer : IDisposable
        {
            /// <summary>The groups of parameters, in the order in which they were added.</summary>
            protected IList<ParamGroup> _parameter_groups = [];

            /// <summary>Creates an optimizer without groups.</summary>
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

            /// <summary>Frees the tensors of the optimizer's state, but not its parameters.</summary>
            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            /// <summary>Frees the optimizer's resources. Does nothing in this class; derived classes override it.</summary>
            /// <param name="disposing">Whether the method is called by <see cref="Dispose()"/>, not by a finalizer.</param>
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

            /// <summary>Adds a group of parameters with settings of its own.</summary>
            /// <param name="param_group">The group.</param>
            /// <exception cref="NotSupportedException">The optimizer has one group only.</exception>
            public virtual void add_param_group(ParamGroup param_group) =>
                throw new NotSupportedException($"{GetType().Name} has one group of parameters only.");

            /// <summary>Updates the parameters once.</summary>
            /// <param name="closure">Computes the loss and its gradients; it runs before the update.</param>
            /// <returns>The result of <paramref name="closure"/>, or null without a closure.</returns>
            /// <exception cref="NotSupportedException">The optimizer's class does not override this method.</exception>
            public virtual Tensor? step(Func<Tensor>? closure = null) =>
                throw new NotSupportedException($"{GetType().Name} does not override step.");

            /// <summary>Returns the parameters of all groups.</summary>
            /// <returns>The parameters, group by group.</returns>
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

                /// <summary>Gets the settings of each group.</summary>
                public List<OptimizerOptions> Options { get; } = [];

                /// <summary>Gets the state of each parameter, group by group.</summary>
                public List<OptimizerState> State { get; } = [];

                /// <summary>Gets, for each group, the indices of its parameters' states in <see cref="State"/>.</summary>
                public List<List<int>> StateIndexRef { get; } = [];
            }
        }

        /// <summary>An optimizer or group with a learning rate, which schedulers set.</summary>
        public interface ILearningRateController
        {
            /// <summary>Gets or sets the learning rate of the optimizer or group.</summary>
            double LearningRate { get; set; }

            /// <summary>Gets or sets the learning rate from which schedulers start.</summary>
            double InitialLearningRate { get; set; }
        }

        /// <summary>An optimizer or group with a momentum, which some schedulers set.</summary>
        public interface IMomentum
        {
            /// <summary>Gets or sets the momentum of the optimizer or group.</summary>
            double Momentum { get; set; }
        }

        /// <summary>An optimizer or group with the decay rates of two moments. Some schedulers set the first rate.</summary>
        public interface IBetas
        {
            /// <summary>Gets or sets the decay rates of the two moments of the optimizer or group.</summary>
            (double, double) Betas { get; set; }
        }
    }
}
