namespace Bridge.Torch.Tests;

/// <summary>Module.cs: modes and apply.</summary>
public sealed class ModuleTests
{
    [Fact]
    public void A_module_begins_in_training_and_the_mode_is_set_for_all_below()
    {
        var leaf = new Echo();
        var model = Holder.Of(("a", Holder.Of(("leaf", leaf))), ("again", leaf));
        Assert.All(model.Tree, module => Assert.True(module.training));
        model.eval();
        Assert.All(model.Tree, module => Assert.False(module.training));
        leaf.train();
        Assert.True(leaf.training);
        Assert.False(model.training);
        model.train();
        Assert.All(model.Tree, module => Assert.True(module.training));
        model.train(false);
        Assert.False(leaf.training);
    }

    [Fact]
    public void Apply_visits_children_before_their_parent()
    {
        var model = Holder.Of(("a", Holder.Of(("x", new Echo("x")))), ("b", new Echo("b")));
        List<string> seen = [];
        Assert.Same(model, model.apply(module => seen.Add(module.GetName())));
        Assert.Equal(["x", "holder", "b", "holder"], seen);
    }

    [Fact]
    public void Names_and_ids_are_the_modules_own()
    {
        var (one, two) = (new Echo("one"), new Echo("two"));
        Assert.Equal("one", one.GetName());
        Assert.NotEqual(one.Id, two.Id);
    }
}
