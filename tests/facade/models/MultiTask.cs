using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Heads in a ModuleDict read a mixture of all layers, whose weights are a ParameterList.</summary>
public class MultiTask : Module<Tensor, Dictionary<string, Tensor>>
{
    private readonly ModuleList<Sequential> layers = new();
    private readonly ParameterList mix = new();
    private readonly Parameter gamma = Parameter(ones(1));
    private readonly ModuleDict<Linear> heads;

    public MultiTask(int features, int width, int depth) : base(nameof(MultiTask))
    {
        for (int i = 0; i < depth; i++)
        {
            layers.Add(Sequential(Linear(i == 0 ? features : width, width), Tanh()));
            mix.Add(Parameter(zeros(1)));
        }
        heads = ModuleDict(("age", Linear(width, 1)), ("species", Linear(width, 5)));
        RegisterComponents();
    }

    public override Dictionary<string, Tensor> forward(Tensor x)
    {
        var found = new List<Tensor>();
        foreach (var layer in layers)
        {
            x = layer.call(x);
            found.Add(x);
        }
        var weights = functional.softmax(cat(mix.Cast<Tensor>().ToList()), dim: 0);
        var mixed = gamma * (stack(found) * weights.view(-1, 1, 1)).sum(dim: 0);
        var results = new Dictionary<string, Tensor>();
        foreach (var (name, head) in heads)
        {
            results[name] = head.call(mixed);
        }
        return results;
    }
}
