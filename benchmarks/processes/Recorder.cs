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

    /// <summary>
    /// For each element of <paramref name="rounds"/> the nanoseconds of a call of each kind, of a layer and of a module with a child.
    /// </summary>
    public override Tensor forward(Tensor rounds)
    {
        var found = new double[4 * rounds.numel()];
        Measure(nn.ReLU(), nn.ReLU(), found, 0);
        Measure(new Parent(), new Parent(), found, 2);
        return tensor(found).reshape(-1, 4);
    }

    private static void Measure(nn.Module<Tensor, Tensor> bare, nn.Module<Tensor, Tensor> recorded, double[] found, int column)
    {
        var x = ones(1);
        var file = Path.GetTempFileName();
        // The first rounds are for the compiler, which waits until no new methods have run for a tenth of a second.
        for (var round = -40; round < found.Length / 4; round++)
        {
            if (round < 0 && round % 10 == 0) Thread.Sleep(300);
            var at = 4 * Math.Max(round, 0) + column;
            if (round % 2 == 0) found[at] = Time(bare, x);
            using (HookTrace.Record(recorded, file)) found[at + 1] = Time(recorded, x);
            if (round % 2 != 0) found[at] = Time(bare, x);
        }

        File.Delete(file);
    }

    private static double Time(nn.Module<Tensor, Tensor> module, Tensor x)
    {
        var begun = Clock.Processor();
        for (var i = 0; i < Calls; i++) module.call(x).Dispose();
        return (Clock.Processor() - begun) / Calls;
    }

    // A module that could call its child on another thread, so that the recorder must follow the execution context.
    private sealed class Parent : nn.Module<Tensor, Tensor>
    {
        private readonly Identity child = nn.Identity();

        public Parent() : base(nameof(Parent)) => RegisterComponents();

        public override Tensor forward(Tensor x) => x.alias();
    }
}
