namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>Euler's number to the power of a value.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.ExpTransform">
            /// torch.distributions.transforms.ExpTransform</see>.
            /// </remarks>
            public class ExpTransform : Transform
            {
                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.real;

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.positive;

                /// <inheritdoc/>
                public override bool bijective => true;

                /// <inheritdoc/>
                protected internal override Tensor _sign() => 1;

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) => x.alias();

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => x.exp();

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => y.log();
            }

            /// <summary>The natural logarithm.</summary>
            public class LogTransform : Transform
            {
                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.positive;

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.real;

                /// <inheritdoc/>
                public override bool bijective => true;

                /// <inheritdoc/>
                protected internal override Tensor _sign() => 1;

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) => WrappedTensorDisposeScope(() => -x.log());

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => x.log();

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => y.exp();
            }

            /// <summary>The softplus function.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.SoftplusTransform">
            /// torch.distributions.transforms.SoftplusTransform</see>.
            /// </remarks>
            public class SoftplusTransform : Transform
            {
                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.real;

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.positive;

                /// <inheritdoc/>
                public override bool bijective => true;

                /// <inheritdoc/>
                protected internal override Tensor _sign() => 1;

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    WrappedTensorDisposeScope(() => -nn.functional.softplus(-x));

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => nn.functional.softplus(x);

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => WrappedTensorDisposeScope(() => (-y).expm1().neg().log() + y);
            }

            /// <summary>The softmax function over the last dimension. Vectors whose difference is constant have the same result.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.SoftmaxTransform">
            /// torch.distributions.transforms.SoftmaxTransform</see>.
            /// </remarks>
            public class SoftmaxTransform : Transform
            {
                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.real_vector;

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.simplex;

                /// <inheritdoc/>
                /// <exception cref="ArgumentException">The shape is empty.</exception>
                public override long[] forward_shape(long[] shape) => Checked(shape);

                /// <inheritdoc/>
                /// <exception cref="ArgumentException">The shape is empty.</exception>
                public override long[] inverse_shape(long[] shape) => Checked(shape);

                private static long[] Checked(long[] shape) =>
                    shape.Length < 1 ? throw new ArgumentException("Too few dimensions on input.", nameof(shape)) : shape;

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => x.softmax(-1);

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => y.log();
            }
        }
    }
}
