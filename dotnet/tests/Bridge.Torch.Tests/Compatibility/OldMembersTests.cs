using System.ComponentModel;
using System.Reflection;
using TorchSharp;

namespace Bridge.Torch.Tests.Compatibility;

/// <summary>Tests how the members of TorchSharp before 0.107 are declared.</summary>
public sealed class OldMembersTests
{
    private const BindingFlags All = BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.DeclaredOnly;

    private static readonly MethodBase[] Old =
    [
        .. typeof(torch.Tensor).Assembly.GetTypes().SelectMany(type => type.GetMembers(All)).OfType<MethodBase>()
            .Where(method => method.GetCustomAttribute<EditorBrowsableAttribute>() is { State: EditorBrowsableState.Never }),
    ];

    /// <summary>The number of rows in old-members.jsonl.</summary>
    [Fact]
    public void Editors_hide_all() => Assert.Equal(71, Old.Length);

    /// <summary>A call that leaves arguments out binds to a current member: it would else fit two members equally well.</summary>
    [Fact]
    public void None_has_an_optional_parameter() =>
        Assert.DoesNotContain(Old, method => method.GetParameters().Any(parameter => parameter.IsOptional));

    /// <summary>Compilers do not look in a base class as long as the class has a fitting member. A static class cannot have one.</summary>
    [Fact]
    public void Functional_is_neither_static_nor_creatable()
    {
        Assert.True(typeof(torch.nn.functional).IsAbstract);
        Assert.All(typeof(torch.nn.functional).GetConstructors(All), constructor => Assert.True(constructor.IsPrivate));
        Assert.DoesNotContain(typeof(torch.nn.functional).GetMethods(All), Old.Contains);
        Assert.DoesNotContain(typeof(torch.Tensor).GetMethods(All), Old.Contains);
    }
}
