using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A mixture of experts in a ModuleList, of which each row takes the two best.</summary>
public class Experts : Module<Tensor, (Tensor, Tensor)>
{
    private readonly int top_k = 2;
    private readonly Linear gate;
    private readonly ModuleList<Expert> experts = new();
    private readonly ModuleList<Module<Tensor, Tensor>> norms;

    public Experts(int width, int count) : base(nameof(Experts))
    {
        gate = Linear(width, count, hasBias: false);
        for (int i = 0; i < count; i++)
        {
            experts.Add(new Expert(width, 2 * width));
        }
        norms = ModuleList<Module<Tensor, Tensor>>(LayerNorm(width), Identity());
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor x)
    {
        var normed = norms[0].call(x);
        var router_logits = gate.call(normed);
        var (weights, chosen) = functional.softmax(router_logits, dim: -1).topk(top_k, dim: -1);
        weights = weights / weights.sum(dim: -1, keepdim: true);
        var result = zeros_like(x);
        for (int i = 0; i < experts.Count; i++)
        {
            var share = (weights * (chosen == i).to_type(weights.dtype)).sum(dim: -1, keepdim: true);
            result = result + share * experts[i].call(normed);
        }
        return (norms[1].call(x + result), router_logits);
    }
}

/// <summary>A gated feed-forward layer.</summary>
public class Expert : Module<Tensor, Tensor>
{
    private readonly Linear w1;
    private readonly Linear w2;
    private readonly Linear w3;
    private readonly SiLU act = SiLU();

    public Expert(int width, int hidden) : base(nameof(Expert))
    {
        w1 = Linear(width, hidden, hasBias: false);
        w2 = Linear(hidden, width, hasBias: false);
        w3 = Linear(width, hidden, hasBias: false);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => w2.call(act.call(w1.call(x)) * w3.call(x));
}
