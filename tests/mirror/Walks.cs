using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
using Layer = TorchSharp.torch.nn.Module<TorchSharp.torch.Tensor, TorchSharp.torch.Tensor>;

namespace Models;

/// <summary>Walks one of its collections, or the children of a module that is none, in one of C#'s ways.</summary>
public sealed class Walks : Module<Tensor, Tensor>
{
    private readonly ModuleList<Layer> layers = new(Linear(2, 2), Linear(2, 2), Linear(2, 2));
    private readonly ModuleDict<Layer> named = ModuleDict<Layer>(("0", Linear(2, 2)), ("1", Linear(2, 2)), ("2", Linear(2, 2)));
    private readonly Sequential seq = Sequential(Linear(2, 2), Linear(2, 2), Linear(2, 2));
    private readonly OwnChildren own = new();
    private readonly string _way;

    public Walks(string way) : base(nameof(Walks))
    {
        _way = way;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        foreach (var layer in Walked) x = ((Layer)layer).call(x);
        return x;
    }

    private IEnumerable<Module> Walked => _way switch
    {
        "layers" => layers,
        "layers: Select" => layers.Select((layer, i) => layer),
        "layers: children" => layers.children(),
        "layers: named_children" => layers.named_children().Select(item => item.module),
        "layers: modules" => layers.modules(),
        "layers: index" => Enumerable.Range(0, layers.Count).Select(i => layers[i]),
        "named" => ((IEnumerable<(string, Layer)>)named).Select(item => item.Item2),
        "named: pairs" => ((IEnumerable<KeyValuePair<string, Layer>>)named).Select(item => item.Value),
        "named: items" => Rest(named.items()),
        "named: values" => named.values(),
        "named: Values" => named.Values,
        "named: keys" => named.keys().Select(key => named[key]),
        "named: Keys" => named.Keys.Select(key => named[key]),
        "named: children" => named.children(),
        "seq: call" => [seq],
        "seq: children" => seq.children(),
        "seq: named_children" => seq.named_children().Select(item => item.module),
        "seq: modules" => seq.modules(),
        "seq: index" => Enumerable.Range(0, seq.Count).Select(i => (Layer)seq[i]),
        "own: children" => own.children(),
        "own: named_children" => own.named_children().Select(item => item.module),
        "own: modules" => own.modules(),
        _ => throw new ArgumentException(_way),
    };

    private static IEnumerable<Module> Rest(IEnumerator<(string, Layer)> items)
    {
        while (items.MoveNext()) yield return items.Current.Item2;
    }
}

/// <summary>No collection, but it has children under such names.</summary>
public sealed class OwnChildren : Module
{
    public OwnChildren() : base(nameof(OwnChildren))
    {
        for (var i = 0; i < 3; i++) register_module($"{i}", Linear(2, 2));
    }
}
