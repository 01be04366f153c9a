namespace Bridge.Torch.Tests;

/// <summary>Base of tests that make tensors: binds the libtorch that two variables name.</summary>
public abstract class WithTorch
{
    protected WithTorch() => Bind();

    /// <summary>Fails the test with what to do where the variables are missing; later calls do nothing.</summary>
    internal static void Bind()
    {
        Runtime.Bind(Named("BRIDGE_LIBTORCH", "the full path of libtorch_cpu"), SchemaText());
    }

    /// <summary>
    /// Frees what other tests left to the collector, so that only this test changes the counts of tensors and of arrays lent.
    /// </summary>
    internal static void Settle()
    {
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        GuardedHandle.DrainOrphans();
        SharedArray.Release();
    }

    /// <summary>The schema file's text.</summary>
    internal static string SchemaText() =>
        File.ReadAllText(Named("BRIDGE_SCHEMAS", "the file that `python -m bridge.clr.start.schemas` writes"));

    private static string Named(string variable, string content)
    {
        var path = Environment.GetEnvironmentVariable(variable);
        Assert.True(File.Exists(path), $"{variable} must name {content} (it is '{path}'): `python tools/sdk.py test` sets it.");
        return path;
    }
}
