using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    [Aten("bridge::backend_flag", "name")] private static partial bool BackendFlag(string name);
    [Aten("bridge::set_backend_flag", "name, value")] private static partial void SetBackendFlag(string name, bool value);

    /// <summary>The flags of <c>torch.backends</c>, which C# shares with Python.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/backends.html">torch.backends</see>.</remarks>
    public static partial class backends
    {
        /// <summary>Flags of CUDA: of its attention kernels and its matrix products.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/backends.html#torch-backends-cuda">torch.backends.cuda</see>.
        /// </remarks>
        public static partial class cuda
        {
            /// <summary>Returns whether attention may use the flash kernel.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.flash_sdp_enabled">its page</see>.
            /// </remarks>
            public static bool flash_sdp_enabled() => BackendFlag("flash_sdp");

            /// <summary>Sets whether attention may use the flash kernel.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_flash_sdp">enable_flash_sdp</see>.
            /// </remarks>
            /// <param name="enable">Whether it may.</param>
            public static void enable_flash_sdp(bool enable) => SetBackendFlag("flash_sdp", enable);

            /// <summary>Returns whether attention may be computed by plain operators.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.math_sdp_enabled">math_sdp_enabled</see>.
            /// </remarks>
            public static bool math_sdp_enabled() => BackendFlag("math_sdp");

            /// <summary>Sets whether attention may be computed by plain operators.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_math_sdp">enable_math_sdp</see>.
            /// </remarks>
            /// <param name="enable">Whether it may.</param>
            public static void enable_math_sdp(bool enable) => SetBackendFlag("math_sdp", enable);

            /// <summary>Flags of matrix products on CUDA.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/backends.html#torch-backends-cuda">torch.backends.cuda.matmul</see>.
            /// </remarks>
            public static partial class matmul
            {
                /// <summary>Gets or sets whether matrix products on CUDA of 32-bit floats may round factors to TensorFloat-32.</summary>
                public static bool allow_tf32
                {
                    get => BackendFlag("matmul_tf32");
                    set => SetBackendFlag("matmul_tf32", value);
                }

                /// <summary>Gets or sets whether matrix products of Float16 may add up in Float16.</summary>
                public static bool allow_fp16_reduced_precision_reduction
                {
                    get => BackendFlag("matmul_fp16");
                    set => SetBackendFlag("matmul_fp16", value);
                }
            }
        }

        /// <summary>Flags of cuDNN.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.cudnn">torch.backends.cudnn</see>.
        /// </remarks>
        public static partial class cudnn
        {
            /// <summary>Gets or sets whether convolutions of cuDNN of 32-bit floats may round factors to TensorFloat-32.</summary>
            public static bool allow_tf32
            {
                get => BackendFlag("cudnn_tf32");
                set => SetBackendFlag("cudnn_tf32", value);
            }
        }
    }
}
