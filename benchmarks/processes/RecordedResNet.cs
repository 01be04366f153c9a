using Bridge.TorchSharp;
using TorchSharp;
using TorchSharp.Modules;
using Vision;
using static TorchSharp.torch;

namespace BenchmarkModels;

/// <summary>
/// What bench_recorder.py runs in the process of TorchSharp: calls of a ResNet-18 without a recording, with one, and with digests, in turn.
/// </summary>
public sealed class RecordedResNet : nn.Module<Tensor, Tensor>
{
    // Of each kind in a round: the first one after a recording began finds the processor's caches full of that.
    private const int Calls = 4;

    public RecordedResNet() : base(nameof(RecordedResNet)) { }

    /// <summary>
    /// For each element of <paramref name="rounds"/> the nanoseconds of a call of each kind. On one thread, whose time is taken.
    /// </summary>
    public override Tensor forward(Tensor rounds)
    {
        set_num_threads(1);
        var (model, x) = (new ResNet18(), randn(1, 3, 224, 224));
        model.eval();
        var file = Path.GetTempFileName();
        var found = new double[3 * rounds.numel()];
        for (var round = -3; round < found.Length / 3; round++)
        {
            var at = 3 * Math.Max(round, 0);
            if (round % 2 == 0) found[at] = Time(model, x);
            using (HookTrace.Record(model, file)) found[at + 1] = Time(model, x);
            using (HookTrace.Record(model, file, TraceValues.Digest)) found[at + 2] = Time(model, x);
            if (round % 2 != 0) found[at] = Time(model, x);
        }

        File.Delete(file);
        return tensor(found).reshape(-1, 3);
    }

    private static double Time(ResNet18 model, Tensor x)
    {
        var begun = Clock.Processor();
        for (var i = 0; i < Calls; i++) model.call(x).Dispose();
        return (Clock.Processor() - begun) / Calls;
    }
}
