using TorchSharp;
using Xunit;

namespace Bridge.Torch.Tests;

/// <summary>What needs Python, or is not here, refuses by its name.</summary>
public sealed class WithoutPythonTests : WithTorch
{
    [Fact]
    public void TorchScript_needs_Python()
    {
        Refuses("torch.jit.load needs Python", () => torch.jit.load("model.pt"));
        Refuses("torch.jit.load needs Python", () => torch.jit.load<torch.Tensor, torch.Tensor>([1, 2], torch.CPU));
        Refuses("torch.jit.compile needs Python", () => torch.jit.compile("def f(x): return x"));
    }

    [Fact]
    public void Mixed_precision_and_checkpoint_need_Python()
    {
        Refuses("bridge::enter_autocast", () => torch.autocast("cpu"));
        using var scaler = new torch.amp.GradScaler("cpu");
        using var x = torch.ones(2, requires_grad: true);
        using var scaled = scaler.scale(x);
        Assert.Equal(65536, scaled.max().ToDouble());
        Refuses("torch.utils.checkpoint needs Python", () => torch.utils.checkpoint(y => y.exp(), x));
        using var off = torch.no_grad();
        using var found = torch.utils.checkpoint(y => y.exp(), x);
        Assert.Equal(x.exp().ToString(), found.ToString());
    }

    [Fact]
    public void Exported_programs_and_TensorBoard_are_refused()
    {
        Refuses("load it by torch.jit.load", () => torch.export.load("model.pt2"));
        Refuses("load it by torch.jit.load", () => torch.export.load<torch.Tensor>("model.pt2"));
        Refuses("torch.utils.tensorboard.SummaryWriter", () => torch.utils.tensorboard.SummaryWriter("logs"));
        Assert.Equal(6, (int)TorchSharp.Utils.tensorboard.Enums.HistogramBinSelector.Tensorflow);
    }

    private static void Refuses(string words, Func<object> run) =>
        Assert.Contains(words, Assert.Throws<NotSupportedException>(run).Message, StringComparison.Ordinal);
}
