extern alias ours;

using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Which of the assemblies named TorchSharp a model is of.</summary>
public class LibraryTests
{
    [Fact]
    public void The_library_of_a_model_says_its_version()
    {
        var library = Library.Of(new Net());
        Assert.Equal("0.107.0", library.Version);
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
    public void What_this_version_has_not_or_cannot_tell_is_not_asked_for()
    {
        var library = Library.Of(new Net());
        Assert.Equal(get_num_threads(), library.Ask("get_num_threads", 0));
        Assert.Equal(__version__, library.Ask("__version__", ""));
        Assert.Equal(5, library.Ask("no_such_member", 5));
        // There, and of another type.
        Assert.Equal(5L, library.Ask("get_num_threads", 5L));
    }
}
