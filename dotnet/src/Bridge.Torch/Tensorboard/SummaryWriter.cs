using Bridge.Torch;
using Bins = TorchSharp.Utils.tensorboard.Enums.HistogramBinSelector;

namespace TorchSharp.Modules;

/// <summary>A writer of files for TensorBoard. It cannot be created here: <see cref="torch.utils.tensorboard"/> refuses.</summary>
public class SummaryWriter
{
    internal const string Reason =
        "it writes TensorBoard's protocol buffers, which are not here; return the numbers to Python, and write them by "
        + "torch.utils.tensorboard.SummaryWriter";

    private SummaryWriter() { }

    /// <exception cref="NotSupportedException">Always.</exception>
    public string LogDir
    {
        [Stub(Reason)]
        get => throw Stub.Error(Reason);
    }

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_scalar(string tag, float scalar_value, int global_step, long? walltime = null) => throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_scalars(string main_tag, IDictionary<string, float> tag_scalar_dict, int global_step, long? walltime = null) =>
        throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_scalars(string main_tag, IList<(string, float)> tag_scalar_dict, int global_step, long? walltime = null) =>
        throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_histogram(string tag, torch.Tensor values, int global_step, Bins bins = Bins.Tensorflow,
        long? walltime = null, long? max_bins = null) => throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_img(string tag, torch.Tensor img_tensor, int global_step, long? walltime = null, string dataformats = "CHW") =>
        throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_img(string tag, string file_name, int global_step, long? walltime = null) => throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_video(string tag, torch.Tensor vid_tensor, int global_step, int fps = 4, long? walltime = null) =>
        throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_text(string tag, string text_string, int global_step, long? walltime = null) => throw Stub.Error(Reason);
}
