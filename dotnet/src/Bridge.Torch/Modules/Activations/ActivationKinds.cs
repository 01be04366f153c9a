namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>The activations of transformer layers.</summary>
        public enum Activations
        {
            /// <summary>The activation of <see cref="TorchSharp.Modules.ReLU"/>.</summary>
            ReLU = 0,

            /// <summary>The activation of <see cref="TorchSharp.Modules.GELU"/>.</summary>
            GELU = 1,
        }

        /// <summary>The activations of recurrent layers.</summary>
        public enum NonLinearities
        {
            /// <summary>max(x, 0).</summary>
            ReLU = 0,

            /// <summary>The hyperbolic tangent.</summary>
            Tanh = 1,
        }
    }
}
