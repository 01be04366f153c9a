using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Calls its children in order and disposes what is between them.</summary>
public class Sequential : nn.Module<Tensor, Tensor>
{
    // A list of its own: names may be there twice, and no child's components are registered (rule 45).
    private readonly List<(string name, nn.Module<Tensor, Tensor> module)> _items = [];

    protected internal Sequential(params (string name, nn.Module<Tensor, Tensor> submodule)[] modules) : base(nameof(Sequential)) =>
        _items.AddRange(modules.Select(item => (item.name, item.submodule)));

    protected internal Sequential(params nn.Module<Tensor, Tensor>[] modules) : base(nameof(Sequential)) =>
        _items.AddRange(modules.Select((module, i) => ($"{i}", module)));

    public int Count => _items.Count;

    public Sequential append(string name, nn.Module<Tensor, Tensor> module)
    {
        _items.Add((name, module));
        return this;
    }

    /// <summary>The list alone: a derived class's own fields do not show (rule 66).</summary>
    public override IEnumerable<(string name, nn.Module module)> named_children()
    {
        foreach (var (name, module) in _items) yield return (name, module);
    }

    public override IEnumerable<(string name, Parameter parameter)> named_parameters(bool recurse = true) => recurse ? base.named_parameters() : [];

    /// <summary>Each child by <c>call</c>; no child gives an alias (rule 40).</summary>
    public override Tensor forward(Tensor tensor)
    {
        if (_items.Count == 0) return tensor.alias();
        var t0 = _items[0].module.call(tensor);
        foreach (var (_, module) in _items.Skip(1))
        {
            // As soon as the next child is done, also where that is the caller's own tensor, which a child or hook gave back (rules 41 and 42).
            // What a hook had put in its place is disposed, the original is not (rule 43).
            var t1 = module.call(t0);
            t0.Dispose();
            t0 = t1;
        }

        return t0;
    }

    // The fields are not components (rule 66).
    protected override void RegisterComponents() { }
}
