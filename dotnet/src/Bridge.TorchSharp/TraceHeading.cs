using System.Collections;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The first line of a trace: on what the model runs.</summary>
internal static class TraceHeading
{
    internal static TraceHeader Of(Attached attached, TraceValues values) => new()
    {
        Runtime = "torchsharp",
        RuntimeVersion = attached.Library.Version,
        Bridge = typeof(TraceHeading).Assembly.GetName().Version!.ToString(3),
        Torch = attached.Library.Ask("__version__", ""),
        DotNet = Environment.Version.ToString(),
        Device = Device(attached),
        Threads = attached.Library.Ask("get_num_threads", 0),
        Seed = attached.Library.Ask("initial_seed", 0L),
        Modules = attached.Modules.Count,
        Values = values switch { TraceValues.None => "none", TraceValues.Digest => "digest", _ => "full" },
        Weights = values == TraceValues.None ? [] : Weights(attached),
    };

    // By the names that TorchSharp gives them, which are PyTorch's where the fields' names are.
    private static List<KeyValuePair<string, string>> Weights(Attached attached)
    {
        List<KeyValuePair<string, string>> found = [];
        var leaves = new Leaves([], digests: true);
        var state = (IDictionary)attached.Library.Module.GetMethod("state_dict")!.Invoke(attached.Modules[0].Module, [null, null])!;
        foreach (DictionaryEntry entry in state)
        {
            leaves.Clear();
            leaves.Texts.Clear();
            if (attached.Library.Tensors.TryAdd(entry.Value!, leaves) && leaves.Texts is [var digest]) found.Add(new((string)entry.Key, digest));
        }

        return found;
    }

    // Where the first parameter is.
    private static string Device(Attached attached)
    {
        var leaves = new Leaves([], digests: false);
        foreach (var node in attached.Modules)
        {
            var parameters = attached.Library.Module.GetMethod("parameters", [typeof(bool)])!.Invoke(node.Module, [false]);
            foreach (var parameter in (IEnumerable<object>)parameters!)
            {
                if (!attached.Library.Tensors.TryAdd(parameter, leaves)) continue;
                var words = leaves.Words;
                var head = Leaves.Take(ref words, digests: false).Head;
                return head.DeviceType == 0 ? "cpu" : $"{TorchNumbers.Device(head.DeviceType)}:{head.DeviceIndex}";
            }
        }

        return "cpu";
    }
}
