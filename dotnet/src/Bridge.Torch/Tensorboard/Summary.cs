using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class utils
    {
        public static partial class tensorboard
        {
            /// <summary>Would make the parts of files for TensorBoard; its members always throw.</summary>
            public static class Summary
            {
                private const string Reason = Modules.SummaryWriter.Reason;

                /// <summary>Always throws: does not make the summary of a histogram.</summary>
                /// <param name="name">The name in TensorBoard.</param>
                /// <param name="values">The elements to count.</param>
                /// <param name="bins">The edges of the bins.</param>
                /// <param name="max_bins">The largest number of bins; null for no limit.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary histogram(string name, Tensor values, Tensor bins, long? max_bins = null) =>
                    throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the summary of a histogram.</summary>
                /// <param name="name">The name in TensorBoard.</param>
                /// <param name="values">The elements to count.</param>
                /// <param name="bins">How the bins are chosen.</param>
                /// <param name="max_bins">The largest number of bins; null for no limit.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary histogram(
                    string name, Tensor values, HistogramBinSelector bins, long? max_bins = null) => throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the message of a histogram.</summary>
                /// <param name="values">The elements to count.</param>
                /// <param name="bins">The edges of the bins.</param>
                /// <param name="max_bins">The largest number of bins; null for no limit.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.HistogramProto make_histogram(Tensor values, Tensor bins, long? max_bins = null) =>
                    throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the message of a histogram.</summary>
                /// <param name="values">The elements to count.</param>
                /// <param name="bins">How the bins are chosen.</param>
                /// <param name="max_bins">The largest number of bins; null for no limit.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.HistogramProto make_histogram(
                    Tensor values, HistogramBinSelector bins, long? max_bins = null) => throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the summary of an image.</summary>
                /// <param name="tag">The name in TensorBoard.</param>
                /// <param name="tensor">The image.</param>
                /// <param name="rescale">The factor of the image's size.</param>
                /// <param name="dataformats">The order of the tensor's dimensions.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary image(
                    string tag, Tensor tensor, double rescale = 1, string dataformats = "NCHW") => throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the summary of an image.</summary>
                /// <param name="tag">The name in TensorBoard.</param>
                /// <param name="file_name">The file with the image.</param>
                /// <param name="rescale">The factor of the image's size.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary image(string tag, string file_name, double rescale = 1) => throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the message of an image.</summary>
                /// <param name="tensor">The image.</param>
                /// <param name="rescale">The factor of the image's size.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary.Types.Image make_image(Tensor tensor, double rescale = 1) => throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the summary of a video.</summary>
                /// <param name="tag">The name in TensorBoard.</param>
                /// <param name="tensor">The frames.</param>
                /// <param name="fps">The number of frames per second.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary video(string tag, Tensor tensor, int fps) => throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the message of a video.</summary>
                /// <param name="tensor">The frames.</param>
                /// <param name="fps">The number of frames per second.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary.Types.Image make_video(Tensor tensor, int fps) => throw Stub.Error(Reason);

                /// <summary>Always throws: does not make the summary of a text.</summary>
                /// <param name="tag">The name in TensorBoard.</param>
                /// <param name="text">The text.</param>
                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary text(string tag, string text) => throw Stub.Error(Reason);
            }
        }
    }
}
