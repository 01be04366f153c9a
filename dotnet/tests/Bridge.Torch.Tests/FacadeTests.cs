using System.Reflection;
using TorchSharp;

namespace Bridge.Torch.Tests;

/// <summary>The facade beside a program: .NET loads it for assemblies compiled against TorchSharp.</summary>
public sealed class FacadeTests
{
    [Theory]
    [InlineData("TorchSharp, Version=0.107.0.0, Culture=neutral, PublicKeyToken=67b0e5e1da516a1c")]
    [InlineData("TorchSharp, Version=0.102.7.0, Culture=neutral, PublicKeyToken=67b0e5e1da516a1c")]
    public void The_default_context_finds_the_types_of_Bridge_Torch(string name) =>
        Assert.Same(typeof(torch.Tensor), Assembly.Load(new AssemblyName(name)).GetType("TorchSharp.torch+Tensor", throwOnError: true));
}
