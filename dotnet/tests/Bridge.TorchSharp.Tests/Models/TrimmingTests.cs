using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Bridge.Hooks;

namespace Bridge.TorchSharp.Tests;

/// <summary>What the compiler says of the package in a program that is trimmed, or compiled by native AOT.</summary>
public sealed class TrimmingTests
{
    [Fact]
    public void What_needs_reflection_says_so()
    {
        var methods = typeof(HookTrace).Assembly.GetExportedTypes()
            .SelectMany(type => type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly))
            .Where(method => method.GetParameters() is [{ ParameterType: var first }, ..] && first == typeof(object))
            .ToArray();
        Assert.Equal(["Attach", "FindNonFinite", "Record", "Record", "Record"], methods.Select(method => method.Name).Order());
        Assert.All(methods, method =>
        {
            Assert.NotNull(method.GetCustomAttribute<RequiresUnreferencedCodeAttribute>());
            Assert.NotNull(method.GetCustomAttribute<RequiresDynamicCodeAttribute>());
        });
    }

    [Fact]
    public void The_contract_alone_is_for_trimmed_programs()
    {
        var metadata = typeof(HookScope).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>();
        Assert.Contains(metadata, one => one is { Key: "IsTrimmable", Value: "True" });
    }
}
