using Bridge.Hooks;
using TorchSharp;
using static TorchSharp.torch;
using PackedSequence = TorchSharp.torch.nn.utils.rnn.PackedSequence;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests Recurrent.cs: the arguments that hooks get in packed calls; tests/facade/test_overloads.py compares their values with PyTorch's.
/// </summary>
public sealed class RecurrentTests : WithTorch
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void G1_a_global_hook_sees_packed_sequences_and_may_replace_them(bool lstm)
    {
        nn.Module layer = lstm ? nn.LSTM(3, 4) : nn.GRU(3, 4);
        var packed = nn.utils.rnn.pack_sequence([ones(3, 3), ones(2, 3)]);
        var other = nn.utils.rnn.pack_sequence([zeros(4, 4)]);
        var seen = new List<object?>();
        PackedSequence output;
        using (GlobalHooks.Pre.Add((object _, ref object?[] args) => seen.Add(args[0])))
        using (GlobalHooks.Forward.Add((object _, in object?[] args, ref object? result) =>
        {
            seen.Add(args[0]);
            var items = (System.Runtime.CompilerServices.ITuple)result!;
            Assert.Equal(lstm ? 3 : 2, items.Length);
            Assert.Equal(5, Assert.IsType<PackedSequence>(items[0]).data.size(0));
            result = lstm ? (other, (Tensor)items[1]!, (Tensor)items[2]!) : (other, (Tensor)items[1]!);
        }))
        {
            output = layer is TorchSharp.Modules.LSTM first ? first.call(packed).Item1 : ((TorchSharp.Modules.GRU)layer).call(packed).Item1;
        }

        Assert.Equal([packed, packed], seen);
        Assert.Same(other, output);
    }

    [Fact]
    public void A_packed_call_leaves_its_results_to_the_callers_scope()
    {
        var layer = nn.GRU(3, 4);
        using var scope = NewDisposeScope();
        var packed = nn.utils.rnn.pack_sequence([ones(3, 3), ones(2, 3)]);
        var before = scope.DisposablesCount;
        var (output, hidden) = layer.call(packed);
        Assert.Equal(before + 2, scope.DisposablesCount);
        Assert.False(hidden.IsInvalid);
        output.Dispose();
        Assert.Equal(before + 1, scope.DisposablesCount);
        Assert.False(packed.batch_sizes.IsInvalid);
    }
}
