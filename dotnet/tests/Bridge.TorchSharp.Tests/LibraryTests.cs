extern alias ours;

using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Which of the assemblies named TorchSharp a model is of.</summary>
/// <remarks>What this project has about the stand-in alone, TorchSharp itself being otherwise, is marked so: the rest holds on TorchSharp too.</remarks>
public class LibraryTests
{
    [Fact]
    [Trait("on", "stand-in")]
    public void The_stand_in_is_taken_as_TorchSharp_and_says_what_it_is()
    {
        var library = Library.Of(new Net());
        Assert.Equal("0.107.0 (stand-in)", library.Version);
        Assert.Equal("TorchSharp", typeof(nn.Module).Assembly.GetName().Name);
    }

    [Fact]
    public void A_model_of_the_facade_is_refused_by_name()
    {
        var module = ours::TorchSharp.torch.nn.ReLU();
        var refused = Assert.Throws<NotSupportedException>(() => HookTrace.Record(module, "run.jsonl"));
        Assert.Contains("Bridge.Torch", refused.Message);
        Assert.Contains("bridge.record", refused.Message);
    }

    [Fact]
    [Trait("on", "stand-in")]
    public void What_this_version_has_not_or_cannot_tell_is_not_asked_for()
    {
        var library = Library.Of(new Net());
        Assert.Equal(1, library.Ask("get_num_threads", 0));
        Assert.Equal("none", library.Ask("__version__", ""));
        Assert.Equal(5, library.Ask("no_such_member", 5));
        // There, and of another type.
        Assert.Equal(5L, library.Ask("get_num_threads", 5L));
    }
}
