using Bridge.TorchSharp;

namespace BenchmarkModels;

/// <summary>The digest of a tensor's elements, as a recording on TorchSharp makes it.</summary>
public static class Digest
{
    /// <summary>Nanoseconds of processor time for some bytes.</summary>
    public static double Time(int bytes)
    {
        var elements = new byte[bytes];
        var start = Clock.Processor();
        var hash = new Blake2b();
        hash.Add(elements);
        hash.End();
        return Clock.Processor() - start;
    }
}
