using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests that no thread reads half of a value that another thread writes. Users synchronize the settings of modules and optimizers.
/// </summary>
public sealed class SharedFieldsTests
{
    // Fields of objects that one thread uses, such as an optimizer's options.
    private static readonly string[] Alone =
        ["ConsoleProgressBar._maximum", "LargeTensors._full", "LargeTensors._younger", "UseAnalysis._calls", "UseAnalysis._consumed",
            "UseAnalysis._escaped", "UseAnalysis._misused", "UseAnalysis._operators", "UseAnalysis._returned"];

    [Fact]
    public void No_field_that_threads_may_share_is_wider_than_a_word()
    {
        const BindingFlags all =
            BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        var size = typeof(Unsafe).GetMethod(nameof(Unsafe.SizeOf))!;
        var wide = typeof(torch.Tensor).Assembly.GetTypes()
            .Where(type => type is { IsClass: true, ContainsGenericParameters: false }
                && !type.IsDefined(typeof(CompilerGeneratedAttribute)))
            .SelectMany(type => type.GetFields(all))
            .Where(field => field is
            {
                IsInitOnly: false, IsLiteral: false, Name: not ['<', ..],
                FieldType: { IsValueType: true, IsByRefLike: false }
            } && !field.IsDefined(typeof(ThreadStaticAttribute)))
            // Its words are written by interlocked operations.
            .Where(field => field.FieldType != typeof(GuardedHandle) && field.DeclaringType!.Name != "Options")
            .Where(field => (int)size.MakeGenericMethod(field.FieldType).Invoke(null, null)! > IntPtr.Size)
            .Select(field => $"{field.DeclaringType!.Name}.{field.Name}");
        Assert.Equal(Alone, wide.Order());
    }
}
