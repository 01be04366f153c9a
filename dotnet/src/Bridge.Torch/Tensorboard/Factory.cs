using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class utils
    {
        /// <summary>Files that TensorBoard shows.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/tensorboard.html">torch.utils.tensorboard</see>.</remarks>
        public static partial class tensorboard
        {
            /// <summary>Always throws: does not create a writer of files for TensorBoard.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/tensorboard.html#torch.utils.tensorboard.writer.SummaryWriter">
            /// torch.utils.tensorboard.SummaryWriter</see>.
            /// </remarks>
            /// <param name="log_dir">The folder.</param>
            /// <param name="filename_suffix">The end of the file's name.</param>
            /// <param name="createRunName">Whether to add a folder for the run.</param>
            /// <exception cref="NotSupportedException">Always.</exception>
            [Stub(Modules.SummaryWriter.Reason)]
            public static Modules.SummaryWriter SummaryWriter(
                string? log_dir = null, string? filename_suffix = null, bool createRunName = false) =>
                throw Stub.Error(Modules.SummaryWriter.Reason);
        }
    }
}
