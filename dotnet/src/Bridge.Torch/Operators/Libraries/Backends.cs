using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    [Aten("bridge::backend_flag", "name")] private static partial bool BackendFlag(string name);
    [Aten("bridge::set_backend_flag", "name, value")] private static partial void SetBackendFlag(string name, bool value);

    /// <summary>The flags of <c>torch.backends</c>, which C# shares with Python.</summary>
    public static partial class backends
    {
        public static partial class cuda
        {
            public static bool flash_sdp_enabled() => BackendFlag("flash_sdp");

            public static void enable_flash_sdp(bool enable) => SetBackendFlag("flash_sdp", enable);

            public static bool math_sdp_enabled() => BackendFlag("math_sdp");

            public static void enable_math_sdp(bool enable) => SetBackendFlag("math_sdp", enable);

            public static partial class matmul
            {
                public static bool allow_tf32
                {
                    get => BackendFlag("matmul_tf32");
                    set => SetBackendFlag("matmul_tf32", value);
                }

                public static bool allow_fp16_reduced_precision_reduction
                {
                    get => BackendFlag("matmul_fp16");
                    set => SetBackendFlag("matmul_fp16", value);
                }
            }
        }

        public static partial class cudnn
        {
            public static bool allow_tf32
            {
                get => BackendFlag("cudnn_tf32");
                set => SetBackendFlag("cudnn_tf32", value);
            }
        }
    }
}
