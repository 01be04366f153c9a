namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>Euler's number to the power of a value.</summary>
            public class ExpTransform : Transform
            {
                public override constraints.Constraint domain => constraints.real;

                public override constraints.Constraint codomain => constraints.positive;

                public override bool bijective => true;

                protected internal override Tensor _sign() => 1;

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) => x.alias();

                protected internal override Tensor _call(Tensor x) => x.exp();

                protected internal override Tensor _inverse(Tensor y) => y.log();
            }

            /// <summary>The natural logarithm.</summary>
            public class LogTransform : Transform
            {
                public override constraints.Constraint domain => constraints.positive;

                public override constraints.Constraint codomain => constraints.real;

                public override bool bijective => true;

                protected internal override Tensor _sign() => 1;

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) => WrappedTensorDisposeScope(() => -x.log());

                protected internal override Tensor _call(Tensor x) => x.log();

                protected internal override Tensor _inverse(Tensor y) => y.exp();
            }

            /// <summary>The softplus function.</summary>
            public class SoftplusTransform : Transform
            {
                public override constraints.Constraint domain => constraints.real;

                public override constraints.Constraint codomain => constraints.positive;

                public override bool bijective => true;

                protected internal override Tensor _sign() => 1;

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    WrappedTensorDisposeScope(() => -nn.functional.softplus(-x));

                protected internal override Tensor _call(Tensor x) => nn.functional.softplus(x);

                protected internal override Tensor _inverse(Tensor y) => WrappedTensorDisposeScope(() => (-y).expm1().neg().log() + y);
            }

            /// <summary>The softmax function over the last dimension. Vectors whose difference is constant have the same result.</summary>
            public class SoftmaxTransform : Transform
            {
                public override constraints.Constraint domain => constraints.real_vector;

                public override constraints.Constraint codomain => constraints.simplex;

                /// <exception cref="ArgumentException">The shape is empty.</exception>
                public override long[] forward_shape(long[] shape) => Checked(shape);

                /// <exception cref="ArgumentException">The shape is empty.</exception>
                public override long[] inverse_shape(long[] shape) => Checked(shape);

                private static long[] Checked(long[] shape) =>
                    shape.Length < 1 ? throw new ArgumentException("Too few dimensions on input.", nameof(shape)) : shape;

                protected internal override Tensor _call(Tensor x) => x.softmax(-1);

                protected internal override Tensor _inverse(Tensor y) => y.log();
            }
        }
    }
}
