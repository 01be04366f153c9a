using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Bridge.Conformance.Tests;

/// <summary>The assembly is compiled against the stand-in, and runs on TorchSharp: whatever it uses there is by TorchSharp's own signature.</summary>
public sealed class BindingTests : IDisposable
{
    private const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private readonly string _folder = Directory.CreateTempSubdirectory("binding").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void EveryMethodBindsToTheSignaturesOfTorchSharp107()
    {
        var file = Path.Combine(_folder, "TorchSharp.dll");
        Emit(file);
        var ours = new Context(file).LoadFromAssemblyPath(typeof(TorchSharpPrograms).Assembly.Location);
        Assert.NotSame(typeof(TorchSharpPrograms).Assembly, ours);
        var failures = new List<string>();
        var prepared = 0;
        foreach (var type in ours.GetTypes().Where(type => !type.IsInterface))
        {
            var types = type.GetGenericArguments().Select(_ => typeof(object).TypeHandle).ToArray();
            foreach (var method in type.GetMethods(All).Cast<MethodBase>().Concat(type.GetConstructors(All)).Where(method => !method.IsAbstract))
            {
                var more = method.IsGenericMethodDefinition ? method.GetGenericArguments().Select(_ => typeof(object).TypeHandle) : [];
                try
                {
                    RuntimeHelpers.PrepareMethod(method.MethodHandle, [.. types, .. more]);
                    prepared++;
                }
                catch (Exception exception) when (exception is MissingMemberException or TypeLoadException)
                {
                    failures.Add($"{type}.{method.Name}: {exception.Message}");
                }
            }
        }

        Assert.Equal("", string.Join("\n", failures));
        Assert.True(prepared > 300, $"only {prepared} methods were compiled");
    }

    // TorchSharp.Reference makes the assembly of signatures from their list.
    private static void Emit(string file)
    {
        var artifacts = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", ".."));
        var program = Path.Combine(artifacts, "TorchSharp.Reference", "release", "TorchSharp.Reference.dll");
        var list = Path.Combine(artifacts, "..", "..", "tests", "TorchSharp.Reference", "surface.jsonl");
        using var run = Process.Start(Environment.ProcessPath!, [program, list, file]);
        run.WaitForExit();
        Assert.Equal(0, run.ExitCode);
    }

    // All but TorchSharp is what the test itself has.
    private sealed class Context(string file) : AssemblyLoadContext("binding")
    {
        protected override Assembly? Load(AssemblyName name) => name.Name == "TorchSharp" ? LoadFromAssemblyPath(file) : null;
    }
}
