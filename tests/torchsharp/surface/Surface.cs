using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Surface;

/// <summary>Every case by its number.</summary>
public sealed class Expressions : Module<long, object, object>
{
    private delegate object Case(/*parameters*/);

/*cases*/

    public Expressions() : base(nameof(Expressions))
    {
    }

    public override object forward(long number, object inputs)
    {
        var given = ((IEnumerable<object>)inputs).Cast<Tensor>().ToArray();
        return Cases[number](/*arguments*/);
    }

    /// <summary>Tensors, numbers, truth values and texts, in order.</summary>
    private static List<object> Flat(object value)
    {
        switch (value)
        {
            case System.Runtime.CompilerServices.ITuple tuple:
                return Enumerable.Range(0, tuple.Length).SelectMany(at => Flat(tuple[at])).ToList();
            case string text:
                return [text];
            case System.Collections.IEnumerable many:
                return many.Cast<object>().SelectMany(Flat).ToList();
            case int number:
                return [(long)number];
            case float number:
                return [(double)number];
            default:
                return [value];
        }
    }
}
