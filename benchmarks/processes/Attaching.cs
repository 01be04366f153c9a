using Bridge.TorchSharp;
using TorchSharp;
using static TorchSharp.torch;

namespace BenchmarkModels;

/// <summary>What bench_recorder.py runs in the process of TorchSharp: a recording begins on a model of a thousand modules.</summary>
public sealed class Attaching : nn.Module<Tensor, Tensor>
{
    public Attaching() : base(nameof(Attaching)) { }

    /// <summary>
    /// For each element of <paramref name="rounds"/> the milliseconds that it takes. The first is the process's first, with all that is
    /// compiled.
    /// </summary>
    public override Tensor forward(Tensor rounds)
    {
        var model = nn.Sequential(Enumerable.Range(0, 999)
            .Select(i => ($"m{i}", i % 2 == 0 ? (nn.Module<Tensor, Tensor>)nn.Linear(2, 2) : nn.ReLU())));
        var file = Path.GetTempFileName();
        var found = new double[rounds.numel()];
        for (var round = 0; round < found.Length; round++)
        {
            var begun = Clock.Processor();
            var trace = HookTrace.Record(model, file);
            found[round] = (Clock.Processor() - begun) / 1e6;
            trace.Dispose();
        }

        File.Delete(file);
        return tensor(found);
    }
}
