using Bridge.Torch;
using Bins = TorchSharp.Utils.tensorboard.Enums.HistogramBinSelector;

namespace TorchSharp.Modules;

/// <summary>A writer of files for TensorBoard. It cannot be created here: <see cref="torch.utils.tensorboard"/> refuses.</summary>
/// <remarks>
/// PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/tensorboard.html#torch.utils.tensorboard.writer.SummaryWriter">
/// torch.utils.tensorboard.SummaryWriter</see>.
/// </remarks>
public class SummaryWriter
{
    internal const string Reason =
        "it writes TensorBoard's protocol buffers, which are not here; return the numbers to Python, and write them by "
        + "torch.utils.tensorboard.SummaryWriter";

    private SummaryWriter() { }

    /// <summary>Always throws: there is no writer that could have a folder.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public string LogDir
    {
        [Stub(Reason)]
        get => throw Stub.Error(Reason);
    }

    /// <summary>Always throws: does not write a number for TensorBoard.</summary>
    /// <param name="tag">The name in TensorBoard.</param>
    /// <param name="scalar_value">The number.</param>
    /// <param name="global_step">The number of the step.</param>
    /// <param name="walltime">The time, in seconds since 1970; null for the present.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_scalar(string tag, float scalar_value, int global_step, long? walltime = null) => throw Stub.Error(Reason);

    /// <summary>Always throws: does not write several numbers for TensorBoard.</summary>
    /// <param name="main_tag">The common name in TensorBoard.</param>
    /// <param name="tag_scalar_dict">The numbers by name.</param>
    /// <param name="global_step">The number of the step.</param>
    /// <param name="walltime">The time, in seconds since 1970; null for the present.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_scalars(string main_tag, IDictionary<string, float> tag_scalar_dict, int global_step, long? walltime = null) =>
        throw Stub.Error(Reason);

    /// <summary>Always throws: does not write several numbers for TensorBoard.</summary>
    /// <param name="main_tag">The common name in TensorBoard.</param>
    /// <param name="tag_scalar_dict">The names and numbers.</param>
    /// <param name="global_step">The number of the step.</param>
    /// <param name="walltime">The time, in seconds since 1970; null for the present.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_scalars(string main_tag, IList<(string, float)> tag_scalar_dict, int global_step, long? walltime = null) =>
        throw Stub.Error(Reason);

    /// <summary>Always throws: does not write a histogram for TensorBoard.</summary>
    /// <param name="tag">The name in TensorBoard.</param>
    /// <param name="values">The elements to count.</param>
    /// <param name="global_step">The number of the step.</param>
    /// <param name="bins">How the bins are chosen.</param>
    /// <param name="walltime">The time, in seconds since 1970; null for the present.</param>
    /// <param name="max_bins">The largest number of bins; null for no limit.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_histogram(string tag, torch.Tensor values, int global_step, Bins bins = Bins.Tensorflow,
        long? walltime = null, long? max_bins = null) => throw Stub.Error(Reason);

    /// <summary>Always throws: does not write an image for TensorBoard.</summary>
    /// <param name="tag">The name in TensorBoard.</param>
    /// <param name="img_tensor">The image.</param>
    /// <param name="global_step">The number of the step.</param>
    /// <param name="walltime">The time, in seconds since 1970; null for the present.</param>
    /// <param name="dataformats">The order of the tensor's dimensions.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_img(string tag, torch.Tensor img_tensor, int global_step, long? walltime = null, string dataformats = "CHW") =>
        throw Stub.Error(Reason);

    /// <summary>Always throws: does not write an image for TensorBoard.</summary>
    /// <param name="tag">The name in TensorBoard.</param>
    /// <param name="file_name">The file with the image.</param>
    /// <param name="global_step">The number of the step.</param>
    /// <param name="walltime">The time, in seconds since 1970; null for the present.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_img(string tag, string file_name, int global_step, long? walltime = null) => throw Stub.Error(Reason);

    /// <summary>Always throws: does not write a video for TensorBoard.</summary>
    /// <param name="tag">The name in TensorBoard.</param>
    /// <param name="vid_tensor">The frames.</param>
    /// <param name="global_step">The number of the step.</param>
    /// <param name="fps">The number of frames per second.</param>
    /// <param name="walltime">The time, in seconds since 1970; null for the present.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_video(string tag, torch.Tensor vid_tensor, int global_step, int fps = 4, long? walltime = null) =>
        throw Stub.Error(Reason);

    /// <summary>Always throws: does not write a text for TensorBoard.</summary>
    /// <param name="tag">The name in TensorBoard.</param>
    /// <param name="text_string">The text.</param>
    /// <param name="global_step">The number of the step.</param>
    /// <param name="walltime">The time, in seconds since 1970; null for the present.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public void add_text(string tag, string text_string, int global_step, long? walltime = null) => throw Stub.Error(Reason);
}
