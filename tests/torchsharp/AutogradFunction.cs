// What test_autograd_function.py runs.
#nullable disable
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Derived;

public sealed class LinearFunction : autograd.SingleTensorFunction<LinearFunction>
{
    public override string Name => nameof(LinearFunction);

    public override Tensor forward(autograd.AutogradContext ctx, params object[] vars)
    {
        var (input, weight, bias) = ((Tensor)vars[0], (Tensor)vars[1], (Tensor)vars[2]);
        ctx.save_for_backward([input, weight, bias]);
        if (ctx.get_saved_variables().Count != 0) throw new InvalidOperationException("saved before forward has ended");
        var output = input.mm(weight.t());
        return bias is null ? output : output + bias;
    }

    public override List<Tensor> backward(autograd.AutogradContext ctx, Tensor grad_output)
    {
        if (ctx.get_saved_variables() is not [var input, var weight, var bias]) throw new InvalidOperationException("not three");
        return [grad_output.mm(weight), grad_output.t().mm(input), bias is null ? null : grad_output.sum(dim: 0)];
    }
}

/// <summary>Several outputs, of which one is an integer; saves an output, keeps numbers and tensors as data.</summary>
public sealed class SeveralFunction : autograd.MultiTensorFunction<SeveralFunction>
{
    public override string Name => "Several";

    public override List<Tensor> forward(autograd.AutogradContext ctx, params object[] vars)
    {
        var (x, factor, zeros) = ((Tensor)vars[0], (double)vars[1], (bool)vars[2]);
        var grown = x.exp();
        var largest = x.argmax();
        ctx.save_for_backward([grown]);
        ctx.save_data("factor", factor);
        ctx.save_data("mask", x > 0);
        ctx.mark_non_differentiable([largest]);
        ctx.set_materialize_grads(zeros);
        if (ctx.MaterializeGrads != zeros) throw new InvalidOperationException("not set");
        return [grown, x * factor, largest];
    }

    public override List<Tensor> backward(autograd.AutogradContext ctx, List<Tensor> grad_outputs)
    {
        var (grown, factor, mask) = (ctx.get_saved_variables()[0], (double)ctx.get_data("factor"), (Tensor)ctx.get_data("mask"));
        Tensor sum = null;
        if (!grad_outputs[0].IsInvalid) sum = grad_outputs[0] * grown;
        if (!grad_outputs[1].IsInvalid) sum = sum is null ? grad_outputs[1] * factor : sum + grad_outputs[1] * factor;
        if (ctx.get_data("none") is not null) throw new InvalidOperationException("there is none");
        return [sum is null ? null : sum * mask, null, null];
    }
}

public sealed class Fails : autograd.SingleTensorFunction<Fails>
{
    public static readonly List<Exception> Thrown = [];

    public override string Name => nameof(Fails);

    public override Tensor forward(autograd.AutogradContext ctx, params object[] vars)
    {
        ctx.save_data("how", vars[1]);
        if ((string)vars[1] == "forward") throw Kept(new FormatException("forward failed"));
        return (string)vars[1] == "null" ? null : ((Tensor)vars[0]) * 2;
    }

    public override List<Tensor> backward(autograd.AutogradContext ctx, Tensor grad_output)
    {
        switch ((string)ctx.get_data("how"))
        {
            case "backward": throw Kept(new FormatException("backward failed"));
            case "few": return [grad_output];
            case "many": return [grad_output, null, grad_output];
            case "more": return [grad_output * 2, null, null, null];
            case "wrong": return [grad_output, grad_output];
            case "shape": return [grad_output.sum(), null];
            case "disposed":
                var gone = grad_output * 2;
                gone.Dispose();
                return [gone, null];
            case "nothing": return null;
            default: return [grad_output * 2, null];
        }
    }

    private static Exception Kept(Exception exception)
    {
        Thrown.Add(exception);
        return exception;
    }
}

/// <summary>Doubles its argument in place.</summary>
public sealed class InPlace : autograd.SingleTensorFunction<InPlace>
{
    public override string Name => nameof(InPlace);

    public override Tensor forward(autograd.AutogradContext ctx, params object[] vars)
    {
        var x = (Tensor)vars[0];
        ctx.mark_dirty([x]);
        return x.mul_(2);
    }

    public override List<Tensor> backward(autograd.AutogradContext ctx, Tensor grad_output) => [grad_output * 2];
}

/// <summary>Keeps a module, an output and a list of what it saw; has fields of its own.</summary>
public sealed class Keeping : autograd.SingleTensorFunction<Keeping>
{
    public static readonly List<Tensor> Seen = [];
    private Tensor table;

    public override string Name => null;

    public override Tensor forward(autograd.AutogradContext ctx, params object[] vars)
    {
        var (x, layer) = ((Tensor)vars[0], (Linear)vars[1]);
        table ??= full(x.shape[^1], 3.0f);
        var output = x * layer.weight * table;
        ctx.save_data("layer", layer);
        ctx.save_data("output", output);
        ctx.save_data("list", new List<Tensor> { x + 1 });
        if (!ReferenceEquals(ctx.get_data("output"), output)) throw new InvalidOperationException("another output");
        return output;
    }

    public override List<Tensor> backward(autograd.AutogradContext ctx, Tensor grad_output)
    {
        var layer = (Linear)ctx.get_data("layer");
        var output = (Tensor)ctx.get_data("output");
        var seen = grad_output * output;
        Seen.Add(seen);
        return [grad_output * layer.weight * table + 0 * ((List<Tensor>)ctx.get_data("list"))[0], null];
    }
}

/// <summary>Gives its argument back as it is.</summary>
public sealed class Same : autograd.MultiTensorFunction<Same>
{
    public override string Name => nameof(Same);

    public override List<Tensor> forward(autograd.AutogradContext ctx, params object[] vars) => [(Tensor)vars[0], null];

    public override List<Tensor> backward(autograd.AutogradContext ctx, List<Tensor> grad_outputs) => [grad_outputs[0] * 5];
}

public sealed class Applied : Module<Tensor, Tensor, string, Tensor>
{
    private readonly Linear layer = Linear(3, 1, hasBias: false);
    private Tensor kept;

    public Applied() : base(nameof(Applied)) => RegisterComponents();

    public override Tensor forward(Tensor x, Tensor weight, string what)
    {
        switch (what)
        {
            case "linear":
                return LinearFunction.apply(x, weight, null);
            case "bias":
                return LinearFunction.apply(x, weight, weight.select(1, 0));
            case "several":
                return Sum(SeveralFunction.apply(x, 3.0, true));
            case "first":
                return SeveralFunction.apply(x, 3.0, false)[0];
            case "second":
                return SeveralFunction.apply(x, 3.0, true)[1];
            case "largest":
                return SeveralFunction.apply(x, 3.0, false)[2];
            case "in place":
                return InPlace.apply(x);
            case "keeping":
                return Keeping.apply(x, layer);
            case "same":
                return Same.apply(x)[0];
            case "none":
                return tensor(Same.apply(x)[1] is null);
            case "no_grad":
                using (no_grad()) return LinearFunction.apply(x, weight, null);
            case "inference":
                using (inference_mode()) return LinearFunction.apply(x, weight, null);
            case "collected":
                var y = LinearFunction.apply(x, weight, null);
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return y;
            case "scopes":
                using (var scope = NewDisposeScope())
                {
                    var inner = LinearFunction.apply(x, weight, null);
                    if (scope.DisposablesCount < 1) throw new InvalidOperationException("no scope");
                    return inner.MoveToOuterDisposeScope();
                }

            case "threads":
                var parts = new Tensor[4];
                var threads = parts.Select((_, at) => new Thread(() => parts[at] = LinearFunction.apply(x, weight, null))).ToList();
                threads.ForEach(thread => thread.Start());
                threads.ForEach(thread => thread.Join());
                return Joined(parts);
            case "whole":
                LinearFunction.apply(x, weight, null).sum().backward();
                return x.grad;
            case "threads backward":
                var sums = new Tensor[4];
                var workers = sums.Select((_, at) => new Thread(() =>
                {
                    using var scope = NewDisposeScope(); // a thread of its own is not part of the call's
                    var leaf = x.detach().clone().requires_grad_();
                    LinearFunction.apply(leaf, weight.detach(), null).sum().backward();
                    sums[at] = leaf.grad.DetachFromDisposeScope();
                })).ToList();
                workers.ForEach(thread => thread.Start());
                workers.ForEach(thread => thread.Join());
                return Joined(sums);
            case "keep":
                kept = LinearFunction.apply(x, weight, null);
                return tensor(0);
            case "use":
                return kept.sum();
            case "drop":
                kept.Dispose();
                return tensor(0);
            case "raise":
                autograd.backward(x.sum());
                return x;
            case "raise alone":
                x.sum().backward();
                return x;
            case "caught":
                return tensor(Caught(x).Count(same => same));
            default:
                return Fails.apply(x, what);
        }
    }

    private static Tensor Sum(List<Tensor> outputs) => outputs[0] + outputs[1] + outputs[2];

    private static Tensor Joined(Tensor[] parts)
    {
        var sum = stack(parts).sum(dim: 0);
        foreach (var part in parts) part.Dispose();
        return sum;
    }

    private static IEnumerable<bool> Caught(Tensor x)
    {
        var leaf = x.detach().requires_grad_();
        Action[] runs =
        [
            () => Fails.apply(x, "forward"),
            () => Fails.apply(leaf, "backward").sum().backward(),
            () => autograd.backward(Fails.apply(leaf, "backward").sum()),
            () => autograd.grad([Fails.apply(leaf, "backward").sum()], [leaf]),
        ];
        foreach (var run in runs)
        {
            FormatException caught = null;
            try
            {
                run();
            }
            catch (FormatException exception)
            {
                caught = exception;
            }

            yield return ReferenceEquals(caught, Fails.Thrown[^1]);
        }
    }
}

/// <summary>The overloads of jacobian; what they give, one behind the other.</summary>
public sealed class Jacobians : Module<Tensor, Tensor, string, Tensor>
{
    public Jacobians() : base(nameof(Jacobians))
    {
    }

    public override Tensor forward(Tensor x, Tensor v, string what)
    {
        static Tensor[] Several(params Tensor[] given) => [given[0].exp().matmul(given[1]), (given[1] * given[1]).sum(), ones(2)];
        return what switch
        {
            "one" => autograd.functional.jacobian(static given => given.pow(3).sum(1), x),
            "outputs" =>
                Joined(autograd.functional.jacobian(static given =>
                    new[] { given.sum(), given * given, given[TensorIndex.Slice(0, 0)] }, x)),
            "inputs" => Joined(autograd.functional.jacobian(static given => given[0].matmul(given[1]), x, v)),
            "both" => Joined(autograd.functional.jacobian(given => Several(given), x, v)),
            _ => throw new ArgumentException(what),
        };
    }

    private static Tensor Joined(IEnumerable<Tensor> parts) => cat([.. parts.Select(part => part.reshape(-1))]);
}
