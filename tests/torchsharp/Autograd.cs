// What test_autograd.py runs.
#nullable disable
using System;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Derived;

public sealed class Gradients : Module<Tensor, string, Tensor>
{
    public Gradients() : base(nameof(Gradients))
    {
    }

    public override Tensor forward(Tensor x, string what)
    {
        var w = x.detach().clone().requires_grad_();
        var v = (x.detach() * 2).requires_grad_();
        switch (what)
        {
            case "grad":
                var found = autograd.grad([(w * v).sum(), w.exp()], [w, v], [ones([]), x.abs()]);
                if (w.grad is not null) throw new InvalidOperationException("grad accumulated");
                return stack(found);
            case "unused":
                var some = autograd.grad([w.sin().sum()], [v, w], allow_unused: true);
                return some[0] is null ? some[1] : x;
            case "refused":
                return autograd.grad([w.sin().sum()], [v, w])[0];
            case "second":
                var first = autograd.grad([w.pow(3).sum()], [w], create_graph: true)[0];
                return autograd.grad([first.sum()], [w])[0];
            case "backward":
                autograd.backward(new[] { w * v, w.sin() }, new[] { x, x.cos() });
                autograd.backward((w * w).sum());
                autograd.backward(v.exp(), x);
                return stack([w.grad, v.grad]);
            case "inputs":
                autograd.backward((w * v).sum(), inputs: [v]);
                return w.grad is null ? v.grad : x;
            case "retained":
                var loss = w.exp().sum();
                autograd.backward(loss, retain_graph: true);
                autograd.backward(loss);
                return w.grad;
            case "anomaly":
                if (AnomalyMode.IsEnabled) throw new InvalidOperationException("on from the start");
                using (autograd.detect_anomaly(check_nan: false))
                using (autograd.set_detect_anomaly(true))
                {
                    if (!AnomalyMode.IsEnabled || !AnomalyMode.ShouldCheckNaN) throw new InvalidOperationException("off");
                    (w * 0).sqrt().mul(0).sum().backward();
                }

                return x;
            case "anomaly after":
                return tensor(AnomalyMode.IsEnabled ? 1 : 0);
            default:
                throw new ArgumentException(what);
        }
    }
}

/// <summary>Weights fused with the batch norm behind them, and vectors that become parameters.</summary>
public sealed class Fused : Module<Tensor, string, Tensor>
{
    private readonly Conv2d conv = Conv2d(3, 4, 3);
    private readonly ConvTranspose2d up = ConvTranspose2d(3, 4, 3);
    private readonly Linear linear = Linear(5, 4);
    private readonly BatchNorm2d norm = BatchNorm2d(4);
    private readonly BatchNorm1d flat = BatchNorm1d(4);

    public Fused() : base(nameof(Fused)) => RegisterComponents();

    public override Tensor forward(Tensor x, string what)
    {
        static Tensor Joined((Parameter, Parameter) pair) => nn.utils.parameters_to_vector([pair.Item1, pair.Item2]).detach();
        switch (what)
        {
            case "conv":
                return Joined(nn.utils.fuse_conv_bn_weights(conv.weight, conv.bias, norm.running_mean, norm.running_var, norm.eps,
                    norm.weight, norm.bias));
            case "bare":
                return Joined(nn.utils.fuse_conv_bn_weights(conv.weight, null, norm.running_mean, norm.running_var, norm.eps, null, null));
            case "transposed":
                return Joined(nn.utils.fuse_conv_bn_weights(up.weight, up.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight,
                    norm.bias, transpose: true));
            case "linear":
                return Joined(nn.utils.fuse_linear_bn_weights(linear.weight, linear.bias, flat.running_mean, flat.running_var, flat.eps,
                    flat.weight, flat.bias));
            case "layer":
                return nn.utils.fuse_linear_bn_eval(linear, flat).call(x);
            case "vector":
                nn.utils.vector_to_parameters(x, linear.parameters());
                return linear.weight.detach();
            default:
                throw new ArgumentException(what);
        }
    }
}
