extern alias ours;

using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Finding the library that a model runs on.</summary>
public class LibraryTests
{
    [Fact]
    public void The_library_of_a_model_has_its_version()
    {
        var library = Library.FromModel(new Net());
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
    public void GetStatic_returns_the_default_for_missing_members_and_other_types()
    {
        var library = Library.FromModel(new Net());
        Assert.Equal(get_num_threads(), library.GetStatic("get_num_threads", 0));
        Assert.Equal(__version__, library.GetStatic("__version__", ""));
        Assert.Equal(5, library.GetStatic("no_such_member", 5));
        // The member exists and has another type.
        Assert.Equal(5L, library.GetStatic("get_num_threads", 5L));
    }
}
