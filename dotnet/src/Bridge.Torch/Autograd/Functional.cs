namespace TorchSharp;

public static partial class torch
{
    public static partial class autograd
    {
        /// <summary>The functions of torch.autograd.functional.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api">torch.autograd.functional</see>.
        /// </remarks>
        public static class functional
        {
            /// <summary>Returns the Jacobians of a function's outputs with respect to its inputs.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.jacobian.html">
            /// torch.autograd.functional.jacobian</see>.
            /// </remarks>
            /// <param name="function">The function. It gets detached inputs that require a gradient.</param>
            /// <param name="inputs">The inputs at which the Jacobians are computed.</param>
            /// <returns>
            /// The Jacobians of the first output with respect to each input, then those of the next output. Each has the output's sizes
            /// followed by the input's, and zeros where the output does not depend on the input.
            /// </returns>
            public static IEnumerable<Tensor> jacobian(Func<Tensor[], Tensor[]> function, params Tensor[] inputs)
            {
                using var scope = NewDisposeScope();
                using var recording = enable_grad();
                Tensor[] leaves = [.. inputs.Select(input => input.detach().requires_grad_())];
                var jacobians = new List<Tensor>();
                foreach (var output in function(leaves))
                {
                    var flat = output.reshape(-1);
                    var rows = Enumerable.Range(0, checked((int)flat.numel())).Select(at => Row(flat[at], leaves)).ToArray();
                    jacobians.AddRange(leaves.Select((leaf, at) =>
                        StackRows(rows.Select(row => row[at]), [.. output.Sizes, .. leaf.Sizes], leaf).MoveToOuterDisposeScope()));
                }

                return jacobians;
            }

            /// <summary>Returns the Jacobian of a function with one input and one output.</summary>
            /// <param name="function">The function. It gets a detached input that requires a gradient.</param>
            /// <param name="inputs">The input at which the Jacobian is computed.</param>
            public static Tensor jacobian(Func<Tensor, Tensor> function, Tensor inputs) =>
                jacobian(given => [function(given[0])], [inputs]).Single();

            /// <summary>Returns the Jacobian of each output of a function with one input.</summary>
            /// <param name="function">The function. It gets a detached input that requires a gradient.</param>
            /// <param name="inputs">The input at which the Jacobians are computed.</param>
            public static IEnumerable<Tensor> jacobian(Func<Tensor, Tensor[]> function, Tensor inputs) =>
                jacobian(given => function(given[0]), [inputs]);

            /// <summary>Returns the Jacobians of a function with one output with respect to each input.</summary>
            /// <param name="function">The function. It gets detached inputs that require a gradient.</param>
            /// <param name="inputs">The inputs at which the Jacobians are computed.</param>
            public static IEnumerable<Tensor> jacobian(Func<Tensor[], Tensor> function, params Tensor[] inputs) =>
                jacobian(given => [function(given)], inputs);

            private static IList<Tensor> Row(Tensor element, Tensor[] leaves) =>
                element.requires_grad ? grad([element], leaves, retain_graph: true, allow_unused: true) : new Tensor[leaves.Length];

            private static Tensor StackRows(IEnumerable<Tensor?> rows, long[] sizes, Tensor leaf)
            {
                Tensor[] all = [.. rows.Select(row => row ?? zeros_like(leaf))];
                return (all.Length == 0 ? leaf.new_zeros(sizes) : stack(all).view(sizes)).detach();
            }
        }
    }
}
