// What test_training.py runs: loops as a program has them, and what torch.amp and checkpoint say.
using System;
using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace MixedPrecision;

/// <summary>A network and its loop; the parameters are those that Python sees.</summary>
public sealed class Loop : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear fc1 = Linear(6, 16);
    private readonly BatchNorm1d norm = BatchNorm1d(16);
    private readonly Dropout drop = Dropout(0.2);
    private readonly Linear fc2 = Linear(16, 16);
    private readonly Linear fc3 = Linear(16, 3);
    private readonly string optimizer;
    private readonly string mode;
    private readonly int steps;

    public Loop(string optimizer, string mode, int steps) : base(nameof(Loop))
    {
        (this.optimizer, this.mode, this.steps) = (optimizer, mode, steps);
        RegisterComponents();
    }

    /// <summary>Gets the rates, and with a scaler the scales, of all steps.</summary>
    public List<double> Seen { get; } = new();

    /// <summary>Trains, and returns the losses.</summary>
    public override Tensor forward(Tensor x, Tensor y)
    {
        using var optim = (OptimizerHelper)(optimizer switch
        {
            "sgd" => torch.optim.SGD(parameters(), 0.05, momentum: 0.9),
            "adam" => torch.optim.Adam(parameters(), 0.01, amsgrad: true),
            "adamw" => torch.optim.AdamW(parameters(), 0.01, weight_decay: 0.05),
            _ => throw new ArgumentException(optimizer),
        });
        var scheduler = optimizer switch
        {
            "sgd" => torch.optim.lr_scheduler.StepLR(optim, 30, 0.7),
            "adam" => torch.optim.lr_scheduler.CosineAnnealingLR(optim, 50, 1e-4),
            _ => torch.optim.lr_scheduler.OneCycleLR(optim, 0.03, steps),
        };
        using var scaler = new amp.GradScaler("cpu", growth_interval: 20, enabled: mode == "scaler");
        var losses = new List<Tensor>();
        for (var step = 0; step < steps; step++)
        {
            using var scope = NewDisposeScope();
            var batch = x.narrow(0, step % 4 * 8, 8);
            var target = y.narrow(0, step % 4 * 8, 8);
            optim.zero_grad();
            Tensor loss;
            using (autocast("cpu", bfloat16, enabled: mode is "bfloat16" or "scaler")) loss = Loss(batch, target);
            if (mode == "scaler" && step % 37 == 5) loss = loss * 1e36;
            scaler.scale(loss).backward();
            scaler.unscale_(optim);
            if (optimizer == "sgd") nn.utils.clip_grad_norm_(parameters(), 0.5);
            if (optimizer == "adam") nn.utils.clip_grad_value_(parameters(), 0.05);
            scaler.step(optim);
            scaler.update();
            scheduler.step();
            losses.Add(loss.detach().MoveToOuterDisposeScope());
            Seen.AddRange(scheduler.get_last_lr());
            Seen.Add(scaler.get_scale());
        }

        return stack(losses);
    }

    private Tensor Loss(Tensor batch, Tensor target)
    {
        var hidden = norm.call(fc1.call(batch)).relu();
        hidden = mode == "checkpoint" ? torch.utils.checkpoint(Block, hidden) : Block(hidden);
        return functional.mse_loss(fc3.call(hidden), target);
    }

    private Tensor Block(Tensor hidden) => fc2.call(drop.call(hidden)).tanh();
}

/// <summary>Runs a function of two tensors by checkpoint.</summary>
public sealed class Two : Module<Tensor, Tensor, bool, Tensor>
{
    private readonly Linear fc = Linear(4, 4);

    public Two() : base(nameof(Two)) => RegisterComponents();

    public int Runs { get; private set; }

    public override Tensor forward(Tensor a, Tensor b, bool fails)
    {
        Tensor[] Run(Tensor[] given)
        {
            Runs++;
            if (fails && Runs > 1) throw new FormatException("the second run");
            return new[] { fc.call(given[0]).sigmoid() * given[1], given[1].exp() };
        }

        var results = torch.utils.checkpoint(Run, new[] { a, b });
        return results[0] + results[1];
    }
}

/// <summary>What the scaler and autocast say and refuse.</summary>
public sealed class Told : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 2);

    public Told() : base(nameof(Told)) => RegisterComponents();

    public override Tensor forward(Tensor x) => fc.call(x);

    public string Modes()
    {
        string Now() => $"{is_autocast_enabled("cpu")} {get_autocast_dtype("cpu")}";
        var said = new List<string> { Now() };
        using (autocast("cpu", float16))
        {
            said.Add(Now());
            using (amp.autocast("cpu", enabled: false)) said.Add(Now());
            said.Add(Now());
        }

        said.Add(Now());
        return string.Join('\n', said);
    }

    public string Refused(string what)
    {
        using var scaler = new amp.GradScaler("cpu");
        using var optim = torch.optim.SGD(parameters(), 0.1);
        Tensor Scaled() => scaler.scale(fc.call(ones(1, 4)).sum());
        switch (what)
        {
            case "no scale": scaler.step(optim); break;
            case "twice":
                Scaled().backward();
                scaler.unscale_(optim);
                scaler.unscale_(optim);
                break;
            case "after a step":
                Scaled().backward();
                scaler.step(optim);
                scaler.unscale_(optim);
                break;
            case "two steps":
                Scaled().backward();
                scaler.step(optim);
                scaler.step(optim);
                break;
            case "no gradient":
                Scaled();
                scaler.step(optim);
                break;
            case "no step":
                Scaled();
                scaler.update();
                break;
            case "half":
                this.to(float16);
                var wide = scaler.scale(fc.call(ones(1, 4, float16)).sum());
                wide.backward();
                scaler.step(optim);
                break;
            case "growth": new amp.GradScaler("cpu", growth_factor: 1); break;
            case "backoff": new amp.GradScaler("cpu", backoff_factor: 1); break;
            case "empty": scaler.load_state_dict(new()); break;
            case "a shape": Scaled(); scaler.update(ones(2)); break;
            default: throw new NotSupportedException(what);
        }

        return "nothing";
    }

    public Dictionary<string, double> Kept()
    {
        using var first = new amp.GradScaler("cpu", init_scale: 8, growth_interval: 3);
        using var optim = torch.optim.SGD(parameters(), 0.1);
        for (var step = 0; step < 4; step++)
        {
            first.scale(fc.call(ones(1, 4)).sum()).backward();
            first.step(optim);
            first.update();
        }

        using var second = new amp.GradScaler("cpu");
        second.load_state_dict(first.state_dict());
        second.scale(ones(1));
        return second.state_dict();
    }

    public bool WithoutCuda() => new amp.GradScaler().is_enabled();
}
