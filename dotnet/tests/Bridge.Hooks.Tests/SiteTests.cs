namespace Bridge.Hooks.Tests;

public class SiteTests
{
    [Fact]
    public void C5_a_site_is_empty_without_registered_hooks()
    {
        var site = new HookSite<int, string>();
        Assert.True(site.IsEmpty);
        Assert.Same(site.Pre, site.Pre);
        Assert.Same(site.Forward, site.Forward);
        Assert.True(site.IsEmpty);

        var pre = site.Pre.Add((object _, ref int _) => { });
        Assert.False(site.IsEmpty);
        var forward = site.Forward.Add((object _, in int _, ref string _) => { });
        pre.remove();
        Assert.False(site.IsEmpty);
        forward.remove();
        Assert.True(site.IsEmpty);
    }

    [Fact]
    public void X4_parallel_first_reads_create_one_registry()
    {
        for (var round = 0; round < 200; round++)
        {
            var site = new HookSite<int, string>();
            RegistryTests.Parallel(8, _ =>
            {
                site.Pre.Add((object _, ref int _) => { });
                site.Forward.Add((object _, in int _, ref string _) => { });
            });
            Assert.Equal((8, 8), (site.Pre.Count, site.Forward.Count));
        }
    }
}
