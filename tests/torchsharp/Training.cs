// What test_optim.py runs; Rows.cs is made there.
#nullable disable
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Training;

/// <summary>A small network that trains itself in C#: the parameters are those that Python sees.</summary>
public sealed class Net : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear fc1 = Linear(5, 7);
    private readonly Linear fc2 = Linear(7, 3);
    private readonly Parameter scale = Parameter(tensor(0.75f));
    private readonly Parameter unused = Parameter(ones(2));
    private readonly Parameter wide = Parameter(tensor(new[] { 0.5, -1.25, 3 }));
    private readonly Parameter brief = Parameter(tensor(new[] { 0.5f, -1.25f, 3f, -0.1f }).to(bfloat16));
    private readonly Parameter wave = Parameter(tensor(new[] { (0.5f, -1f), (0.25f, 2f) }));
    private readonly string row;
    private readonly string kind;
    private readonly int steps;

    public Net(string row, string kind, int steps) : base(nameof(Net))
    {
        (this.row, this.kind, this.steps) = (row, kind, steps);
        RegisterComponents();
    }

    public IEnumerable<Parameter> Some => kind == "plain" ? fc1.parameters().Concat(fc2.parameters()) : parameters();

    public Tensor Loss(Tensor x, Tensor y)
    {
        var loss = functional.mse_loss(fc2.call(fc1.call(x).tanh()) * scale, y);
        if (kind == "plain") return loss;
        return loss + (wide.sin() * wide).sum().to(float32) + brief.to(float32).square().sum() * 0.3
            + wave.view_as_real().pow(4).sum() * 0.01;
    }

    public Tensor Step(optim.Optimizer optimizer, Tensor x, Tensor y)
    {
        Tensor Closure()
        {
            optimizer.zero_grad();
            var loss = Loss(x, y);
            loss.backward();
            return loss;
        }

        if (optimizer is LBFGS || kind == "closure") return optimizer.step(Closure).detach();
        var found = Closure().detach();
        if (optimizer.step() is not null) throw new InvalidOperationException("a step without a closure returns nothing");
        return found;
    }

    /// <summary>The losses; with "saved", by a second optimizer from the middle on, which has read what the first wrote.</summary>
    public override Tensor forward(Tensor x, Tensor y)
    {
        var losses = new List<Tensor>();
        var optimizer = Rows.Make(row, this);
        for (var i = 0; i < steps; i++)
        {
            if (i == steps / 2 && kind is "file" or "memory") optimizer = Moved((OptimizerHelper)optimizer);
            losses.Add(Step(optimizer, x, y));
        }

        optimizer.Dispose();
        return stack(losses);
    }

    private OptimizerHelper Moved(OptimizerHelper first)
    {
        var second = (OptimizerHelper)Rows.Make(row, this);
        if (kind == "memory")
        {
            second.load_state_dict(first.state_dict());
        }
        else
        {
            var path = Path.GetTempFileName();
            first.save_state_dict(path);
            second.load_state_dict(path);
            File.Delete(path);
        }

        foreach (var (mine, other) in second.state_dict().State.Zip(first.state_dict().State))
            if (!mine.ApproximatelyEquals(other) || ReferenceEquals(mine, other))
                throw new InvalidOperationException("the state is another one");
        first.Dispose();
        return second;
    }
}

/// <summary>A network with its optimizer in a field: a step in each call.</summary>
public sealed class Trainer : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear fc = Linear(5, 3);
    private readonly optim.Optimizer optimizer;
    private readonly optim.lr_scheduler.LRScheduler scheduler;

    public Trainer() : base(nameof(Trainer))
    {
        RegisterComponents();
        optimizer = torch.optim.Adam(parameters(), 0.1);
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9);
    }

    public override Tensor forward(Tensor x, Tensor y)
    {
        optimizer.zero_grad();
        var loss = functional.mse_loss(fc.call(x), y);
        loss.backward();
        optimizer.step();
        scheduler.step();
        return loss.detach();
    }
}

/// <summary>Learning rates, and momenta, of two groups over the epochs.</summary>
public sealed class Schedule : Module<Tensor, Tensor>
{
    private readonly string row;
    private readonly bool jumps;

    public Schedule(string row, bool jumps) : base(nameof(Schedule)) => (this.row, this.jumps) = (row, jumps);

    /// <param name="values">What a scheduler that looks at a value is given in each epoch, or the epochs to jump to.</param>
    public override Tensor forward(Tensor values)
    {
        Parameter[] leaves = [new(ones(2)), new(ones(3))];
        var adam = row.EndsWith("adam");
        optim.Optimizer optimizer = adam
            ? torch.optim.Adam([new Adam.ParamGroup(leaves[..1], 0.1), new Adam.ParamGroup(leaves[1..], 0.025, beta1: 0.7)])
            : torch.optim.SGD([new SGD.ParamGroup(leaves[..1], 0.1, momentum: 0.5), new SGD.ParamGroup(leaves[1..], 0.025)], 1);
        var scheduler = Rows.Schedule(row, optimizer);
        var seen = new List<double>();
        foreach (var value in values.data<double>())
        {
            foreach (var group in optimizer.ParamGroups)
            {
                seen.Add(group.LearningRate);
                seen.Add(group is optim.IBetas moments ? moments.Betas.Item1 : ((optim.IMomentum)group).Momentum);
            }

            seen.AddRange(scheduler.get_last_lr());
            if (scheduler is optim.lr_scheduler.impl.ReduceLROnPlateau) scheduler.step(value);
            else if (jumps) scheduler.step((int?)value);
            else scheduler.step();
        }

        return tensor(seen.ToArray());
    }
}

/// <summary>What an optimizer writes, as bytes.</summary>
public sealed class Written : Module<Tensor, Tensor>
{
    private readonly string row;

    public Written(string row) : base(nameof(Written)) => this.row = row;

    public override Tensor forward(Tensor input)
    {
        var net = new Net(row, "plain", 1);
        var optimizer = (OptimizerHelper)Rows.Make(row, net);
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        optimizer.save_state_dict(writer);
        if (row != "adam") return tensor(stream.ToArray());
        stream.Position = 0;
        torch.optim.SGD(net.Some, 0.1).load_state_dict(new BinaryReader(stream));
        return input;
    }
}

/// <summary>A network made, trained, saved and read again in C# alone, as a program does.</summary>
public sealed class Program : Module<Tensor, Tensor, Tensor, string, Tensor>
{
    public Program() : base(nameof(Program))
    {
    }

    /// <param name="x">Inputs.</param>
    /// <param name="y">Targets.</param>
    /// <param name="first">The first weights, one behind the other.</param>
    /// <param name="path">Where the weights go.</param>
    /// <returns>The losses, the weights, and the loss of a network that read them.</returns>
    public override Tensor forward(Tensor x, Tensor y, Tensor first, string path)
    {
        static Sequential Make() => Sequential(("a", Linear(5, 7)), ("tanh", Tanh()), ("b", Linear(7, 3)));
        var net = Make();
        using (no_grad()) nn.utils.vector_to_parameters(first, net.parameters());
        var optimizer = torch.optim.Adam(net.parameters(), 0.05, weight_decay: 0.01);
        var scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5);
        var criterion = MSELoss();
        var losses = new List<float>();
        net.train();
        for (var epoch = 0; epoch < 12; epoch++)
        {
            using var scope = NewDisposeScope();
            optimizer.zero_grad();
            var loss = criterion.call(net.call(x), y);
            loss.backward();
            nn.utils.clip_grad_norm_(net.parameters(), 0.5);
            optimizer.step();
            scheduler.step();
            losses.Add(loss.item<float>());
        }

        net.save(path);
        var again = Make();
        again.load(path);
        again.eval();
        using (no_grad()) losses.Add(criterion.call(again.call(x), y).item<float>());
        return cat([tensor(losses.ToArray()), nn.utils.parameters_to_vector(net.parameters())]).detach();
    }
}
