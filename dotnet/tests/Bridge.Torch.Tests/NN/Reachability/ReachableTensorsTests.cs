using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tests ReachableTensors.cs and StaticFields.cs: the fields that are read after a call.</summary>
public sealed class ReachableTensorsTests : WithTorch
{
    [Fact]
    public void Arrays_of_constants_are_not_examined()
    {
        long[] constants = [4, 8, 15, 16, 23, 42];
        Assert.Equal(108, constants.Sum());
        Assert.Contains(typeof(ReachableTensorsTests).Assembly.GetTypes(), type =>
            type.Name.StartsWith("<PrivateImplementationDetails>", StringComparison.Ordinal));
        Assert.DoesNotContain(ReachableTensors.RetainingFields(new Plain()), item =>
            item.Field.DeclaringType!.Name.StartsWith("<PrivateImplementationDetails>", StringComparison.Ordinal));
    }

    private sealed class Plain() : nn.Module<Tensor, Tensor>(nameof(Plain))
    {
        public override Tensor forward(Tensor input) => input;
    }
}
