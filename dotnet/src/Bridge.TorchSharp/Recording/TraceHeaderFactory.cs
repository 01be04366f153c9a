using System.Collections;
using System.Diagnostics.CodeAnalysis;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The factory of a trace's header, which describes TorchSharp, the model and the recorded values.</summary>
[RequiresUnreferencedCode(Trimming.Reason)]
[RequiresDynamicCode(Trimming.Reason)]
internal static class TraceHeaderFactory
{
    internal static TraceHeader Create(ModelAttachment attachment, TraceValues values) => new()
    {
        Runtime = "torchsharp",
        RuntimeVersion = attachment.Library.Version,
        Bridge = typeof(TraceHeaderFactory).Assembly.GetName().Version!.ToString(3),
        Torch = attachment.Library.GetStatic("__version__", ""),
        DotNet = Environment.Version.ToString(),
        Device = Device(attachment),
        Threads = attachment.Library.GetStatic("get_num_threads", 0),
        Seed = attachment.Library.GetStatic("initial_seed", 0L),
        Modules = attachment.Modules.Count,
        Unseen = [.. attachment.Unseen],
        Values = values switch { TraceValues.None => "none", TraceValues.Digest => "digest", _ => "full" },
        Weights = values == TraceValues.None ? [] : Weights(attachment),
    };

    // Returns digests of parameters and buffers under TorchSharp's names, which equal PyTorch's if the C# fields have PyTorch's names.
    private static List<KeyValuePair<string, string>> Weights(ModelAttachment attachment)
    {
        List<KeyValuePair<string, string>> found = [];
        var values = new EventValues([], digests: true);
        var state = (IDictionary)attachment.Library.Module.GetMethod("state_dict")!.Invoke(attachment.Modules[0].Module, [null, null])!;
        foreach (DictionaryEntry entry in state)
        {
            values.Clear();
            values.Texts.Clear();
            if (attachment.Library.Tensors.TryAdd(entry.Value!, values) && values.Texts is [var digest])
                found.Add(new((string)entry.Key, digest));
        }

        return found;
    }

    // Returns the device of the first parameter; "cpu" if there is none.
    private static string Device(ModelAttachment attachment)
    {
        var values = new EventValues([], digests: false);
        foreach (var node in attachment.Modules)
        {
            var parameters = attachment.Library.Module.GetMethod("parameters", [typeof(bool)])!.Invoke(node.Module, [false]);
            foreach (var parameter in (IEnumerable<object>)parameters!)
            {
                if (!attachment.Library.Tensors.TryAdd(parameter, values)) continue;
                var words = values.Words;
                var head = EventValues.ReadFirst(ref words, digests: false).Header;
                return TraceNames.DeviceName(head.DeviceType, head.DeviceIndex);
            }
        }

        return "cpu";
    }
}
