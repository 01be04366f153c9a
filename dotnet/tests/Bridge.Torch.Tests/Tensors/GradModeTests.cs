using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>GradMode.cs: the thread's grad mode, set and restored.</summary>
public sealed class GradModeTests : WithTorch
{
    [Fact]
    public void Modes_nest_and_each_restores_what_it_found()
    {
        Assert.True(is_grad_enabled());
        using (no_grad())
        {
            Assert.False(is_grad_enabled());
            using (enable_grad())
            {
                Assert.True(is_grad_enabled());
                using (no_grad()) Assert.False(is_grad_enabled());
                using (set_grad_enabled(false)) Assert.False(AutoGradMode.IsEnabled);
                Assert.True(is_grad_enabled());
            }

            using (set_grad_enabled(mode: true)) Assert.True(is_grad_enabled());
            Assert.False(is_grad_enabled());
        }

        Assert.True(is_grad_enabled());
    }

    [Fact]
    public void It_is_restored_when_an_exception_leaves_the_block()
    {
        Assert.Throws<System.Runtime.InteropServices.ExternalException>(() =>
        {
            using var off = no_grad();
            using var a = ones([2, 3]);
            a.matmul(a);
        });
        Assert.True(is_grad_enabled());
    }

    [Fact]
    public void Operators_obey_it()
    {
        using var scope = NewDisposeScope();
        var a = ones([2]);
        a.requires_grad = true;
        Assert.True((a * 2).requires_grad);
        using (no_grad())
        {
            Assert.False((a * 2).requires_grad);
            using (enable_grad()) Assert.True((a * 2).requires_grad);
        }
    }

    [Fact]
    public void Another_thread_has_a_mode_of_its_own()
    {
        using var off = no_grad();
        var enabled = false;
        var thread = new Thread(() => enabled = is_grad_enabled());
        thread.Start();
        thread.Join();
        Assert.True(enabled);
        Assert.False(is_grad_enabled());
    }
}
