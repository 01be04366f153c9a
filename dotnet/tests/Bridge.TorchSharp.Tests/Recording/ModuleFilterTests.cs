using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Selecting modules by path and by class.</summary>
public sealed class ModuleFilterTests
{
    private readonly List<ModuleNode> _modules = new ModelAttachment(new Net()).Modules;

    [Theory]
    [InlineData("", "")]
    [InlineData("*", " block block.first block.act last")]
    [InlineData("block", "block")]
    [InlineData("block.*", "block.first block.act")]
    [InlineData("*act", "block.act")]
    [InlineData("l?st", "last")]
    public void A_pattern_selects_paths(string pattern, string paths) => Assert.Equal(paths, Selected([pattern], []));

    [Fact]
    public void Several_patterns_and_classes_select_the_modules_that_have_one_of_each()
    {
        Assert.Equal("block.first last", Selected([], [typeof(Linear)]));
        Assert.Equal(" block block.first block.act last", Selected([], [typeof(nn.Module)]));
        Assert.Equal("block.first block.act", Selected(["block.*", "last"], [typeof(ReLU), typeof(Linear)])[..21]);
        Assert.Equal("block.act", Selected(["block*"], [typeof(ReLU)]));
    }

    [Fact]
    public void A_filter_that_selects_nothing_is_refused()
    {
        Assert.Contains("'Block'", Refused(["block", "Block"], []));
        Assert.Contains("TorchSharp.Modules.GRU", Refused([], [typeof(Linear), typeof(GRU)]));
        Assert.Contains("both", Refused(["last"], [typeof(ReLU)]));
    }

    [Fact]
    public void A_class_that_cannot_be_hooked_is_refused()
    {
        var modules = new ModelAttachment(new Bypassing()).Modules;
        Assert.Throws<ArgumentException>(() => new ModuleFilter([], [typeof(ModuleList<Linear>)]).Select(modules));
    }

    private string Selected(string[] paths, Type[] types) =>
        string.Join(' ', new ModuleFilter(paths, types).Select(_modules).Select(node => node.Path));

    private string Refused(string[] paths, Type[] types) => Assert.Throws<ArgumentException>(() => Selected(paths, types)).Message;
}
