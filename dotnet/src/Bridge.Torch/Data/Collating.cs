using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>
/// Joins the tensors of items along a new first dimension. A batch has the names, or the number of tensors, of its first item.
/// </summary>
internal static class Collating
{
    internal static Dictionary<string, Tensor> ByName(IEnumerable<Dictionary<string, Tensor>> items, Device device)
    {
        var all = items.ToArray();
        return all[0].Keys.ToDictionary(name => name, name => Join(all.Select(item => item[name]), device));
    }

    internal static IList<Tensor> ByPosition(IEnumerable<IList<Tensor>> items, Device device)
    {
        var all = items.ToArray();
        return Enumerable.Range(0, all[0].Count).Select(at => Join(all.Select(item => item[at]), device)).ToList();
    }

    private static Tensor Join(IEnumerable<Tensor> parts, Device device)
    {
        using var scope = NewDisposeScope();
        var rows = parts.Select(part => part.unsqueeze(0)).ToArray();
        // As in TorchSharp, a batch of one item shares its memory if the item is on the device already.
        var joined = rows.Length == 1 ? rows[0] : cat(rows);
        return joined.to(device).MoveToOuterDisposeScope();
    }
}
