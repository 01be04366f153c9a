using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class utils
    {
        public static partial class tensorboard
        {
            /// <summary>Makes parts of the files that TensorBoard shows. There are none here.</summary>
            public static class Summary
            {
                private const string Reason = Modules.SummaryWriter.Reason;

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary histogram(string name, Tensor values, Tensor bins, long? max_bins = null) =>
                    throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary histogram(
                    string name, Tensor values, HistogramBinSelector bins, long? max_bins = null) => throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.HistogramProto make_histogram(Tensor values, Tensor bins, long? max_bins = null) =>
                    throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.HistogramProto make_histogram(
                    Tensor values, HistogramBinSelector bins, long? max_bins = null) => throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary image(
                    string tag, Tensor tensor, double rescale = 1, string dataformats = "NCHW") => throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary image(string tag, string file_name, double rescale = 1) => throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary.Types.Image make_image(Tensor tensor, double rescale = 1) => throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary video(string tag, Tensor tensor, int fps) => throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary.Types.Image make_video(Tensor tensor, int fps) => throw Stub.Error(Reason);

                /// <exception cref="NotSupportedException">Always.</exception>
                [Stub(Reason)]
                public static Tensorboard.Summary text(string tag, string text) => throw Stub.Error(Reason);
            }
        }
    }
}
