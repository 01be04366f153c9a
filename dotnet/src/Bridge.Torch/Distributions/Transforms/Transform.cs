namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        /// <summary>Functions from the values that one constraint allows to those that another allows.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.transforms">
        /// torch.distributions.transforms</see>.
        /// </remarks>
        public static partial class transforms
        {
            /// <summary>A function of tensors with its inverse and the logarithm of its derivative.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.Transform">
            /// torch.distributions.transforms.Transform</see>.
            /// </remarks>
            public abstract class Transform
            {
                /// <summary>Whether each result comes from exactly one value.</summary>
                protected bool _bijective;

                /// <summary>The values that the transform accepts, unless a class overrides <see cref="domain"/>.</summary>
                protected constraints.Constraint _domain = constraints.real;

                /// <summary>The results that the transform can have, unless a class overrides <see cref="codomain"/>.</summary>
                protected constraints.Constraint _codomain = constraints.real;

                /// <summary>The inverse; null until it is first used.</summary>
                protected Transform? _inv;

                /// <summary>
                /// Gets how many of a tensor's last dimensions together form one value (an event); 0 if each element is a value.
                /// </summary>
                /// <exception cref="InvalidOperationException">The number differs between the values and the results.</exception>
                public virtual int event_dim => domain.event_dim == codomain.event_dim
                    ? domain.event_dim
                    : throw new InvalidOperationException("Use the event_dim of the domain or of the codomain.");

                /// <summary>Gets the inverse of this transform, whose own inverse is this transform.</summary>
                public virtual Transform inv => _inv ??= new InverseTransform(this);

                /// <summary>Gets the constraint on the values that the transform accepts.</summary>
                public virtual constraints.Constraint domain => _domain;

                /// <summary>Gets the constraint on the results that the transform has.</summary>
                public virtual constraints.Constraint codomain => _codomain;

                /// <summary>Gets whether each result comes from exactly one value.</summary>
                public virtual bool bijective => _bijective;

                /// <summary>Gets 1 where the function increases, and -1 where it decreases.</summary>
                /// <exception cref="NotImplementedException">The class has no sign: its function is not monotonic.</exception>
                public Tensor sign => _sign();

                /// <summary>Returns 1 where the function increases, and -1 where it decreases; <see cref="sign"/> calls this.</summary>
                /// <exception cref="NotImplementedException">The class has no sign.</exception>
                protected internal virtual Tensor _sign() => throw new NotImplementedException($"{GetType().Name} has no sign.");

                /// <summary>Computes the function; <see cref="forward"/> calls this.</summary>
                /// <param name="x">The values, in the domain.</param>
                /// <returns>The results, in the codomain.</returns>
                protected internal abstract Tensor _call(Tensor x);

                /// <summary>Computes the inverse function; the transform <see cref="inv"/> calls this.</summary>
                /// <param name="y">The results, in the codomain.</param>
                /// <returns>The values, in the domain.</returns>
                protected internal abstract Tensor _inverse(Tensor y);

                /// <summary>Computes the logarithm of the derivative's absolute value, given a value and the result for it.</summary>
                /// <param name="x">The values.</param>
                /// <param name="y">The results for <paramref name="x"/>.</param>
                /// <returns>The logarithms, without the dimensions of an event.</returns>
                /// <exception cref="NotImplementedException">The class has no such derivative.</exception>
                /// <remarks>If a value has several elements, the derivative is the determinant of the Jacobian matrix.</remarks>
                protected internal virtual Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    throw new NotImplementedException($"{GetType().Name} has no log_abs_det_jacobian.");

                /// <summary>Applies the transform to values.</summary>
                /// <param name="x">The values, in the domain.</param>
                /// <returns>The results, in the codomain.</returns>
                public Tensor forward(Tensor x) => _call(x);

                /// <summary>Returns the shape of the result for a value's shape.</summary>
                /// <param name="shape">The value's shape.</param>
                public virtual long[] forward_shape(long[] shape) => shape;

                /// <summary>Returns the shape of the value for a result's shape.</summary>
                /// <param name="shape">The result's shape.</param>
                public virtual long[] inverse_shape(long[] shape) => shape;

                /// <summary>Returns the sum over the last <paramref name="dim"/> dimensions.</summary>
                /// <param name="value">The numbers, of at least that many dimensions.</param>
                /// <param name="dim">The number of dimensions; 0 to return the tensor itself.</param>
                protected internal static Tensor _sum_rightmost(Tensor value, int dim) =>
                    dim == 0 ? value : value.reshape([.. value.shape[..^dim], -1]).sum(-1);

                /// <summary>Returns a tensor that shares the memory of a parameter, and that no dispose scope disposes.</summary>
                private protected static Tensor Held(Tensor parameter) => parameter.alias().DetachFromDisposeScope();

                /// <summary>
                /// Sets <paramref name="transform"/> as the inverse of <paramref name="inverse"/>, so that <c>inverse.inv</c> is the
                /// transform itself, and returns <paramref name="inverse"/>.
                /// </summary>
                private protected static Transform Linked(Transform inverse, Transform transform)
                {
                    inverse._inv = transform;
                    return inverse;
                }
            }
        }
    }
}
