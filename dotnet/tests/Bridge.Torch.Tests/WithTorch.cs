namespace Bridge.Torch.Tests;

/// <summary>The base class of tests that create tensors. Binds the libtorch that two environment variables name.</summary>
public abstract class WithTorch
{
    protected WithTorch() => Bind();

    /// <summary>Binds libtorch once; fails with instructions if the variables are missing.</summary>
    internal static void Bind()
    {
        Runtime.Bind(Named("BRIDGE_LIBTORCH", "the full path of libtorch_cpu"), SchemaText());
    }

    /// <summary>
    /// Frees tensors of other tests that await collection, so that only this test changes the counts of tensors and pinned arrays.
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
