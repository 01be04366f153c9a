using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class utils
    {
        /// <summary>Files that TensorBoard shows.</summary>
        public static partial class tensorboard
        {
            /// <exception cref="NotSupportedException">Always.</exception>
            [Stub(Modules.SummaryWriter.Reason)]
            public static Modules.SummaryWriter SummaryWriter(
                string? log_dir = null, string? filename_suffix = null, bool createRunName = false) =>
                throw Stub.Error(Modules.SummaryWriter.Reason);
        }
    }
}
