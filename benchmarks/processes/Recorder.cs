using Bridge.TorchSharp;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace BenchmarkModels;

/// <summary>
/// What bench_recorder.py runs in the process of TorchSharp: calls of a module without a recording and with one, in turn.
/// </summary>
public sealed class Recorder : nn.Module<Tensor, Tensor>
{
    private const int Calls = 4000;

    public Recorder() : base(nameof(Recorder)) { }

    /// <summary>For each element of <paramref name="rounds"/> the nanoseconds of a call of each kind.</summary>
    public override Tensor forward(Tensor rounds)
    {
        var (bare, recorded, x) = (nn.ReLU(), nn.ReLU(), ones(1));
        var file = Path.GetTempFileName();
        var found = new double[2 * rounds.numel()];
        // The first rounds are for the compiler.
        for (var round = -20; round < found.Length / 2; round++)
        {
            var at = 2 * Math.Max(round, 0);
            if (round % 2 == 0) found[at] = Time(bare, x);
            using (HookTrace.Record(recorded, file)) found[at + 1] = Time(recorded, x);
            if (round % 2 != 0) found[at] = Time(bare, x);
        }

        File.Delete(file);
        return tensor(found).reshape(-1, 2);
    }

    private static double Time(ReLU module, Tensor x)
    {
        var begun = Clock.Processor();
        for (var i = 0; i < Calls; i++) module.call(x).Dispose();
        return (Clock.Processor() - begun) / Calls;
    }
}
