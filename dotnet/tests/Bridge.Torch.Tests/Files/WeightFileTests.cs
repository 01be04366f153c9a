using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>Module.Files.cs and WeightFile.cs: files that do not fit leave the module as it was.</summary>
public sealed class WeightFileTests : WithTorch
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_path_that_occurs_twice_is_refused(bool strict) =>
        Refuses("The path 'weight' occurs twice in the file.", strict, null, ("weight", ones(2, 2)), ("weight", ones(2, 2)));

    [Fact]
    public void A_path_that_was_reported_already_is_refused() =>
        Refuses("'bias'", true, new() { ["bias"] = true }, ("weight", ones(2, 2)), ("bias", ones(2)));

    [Fact]
    public void A_later_entry_that_does_not_fit_leaves_the_earlier_ones_unread()
    {
        Refuses("'bias' is [3] in the file and [2] in memory", true, null, ("weight", ones(2, 2)), ("bias", ones(3)));
        Refuses("'other'", true, null, ("weight", ones(2, 2)), ("other", ones(2)));
    }

    [Fact]
    public void Entries_that_fit_are_read()
    {
        using var scope = NewDisposeScope();
        using var module = Linear(2, 2);
        var seen = new Dictionary<string, bool>();
        module.load(File(("weight", ones(2, 2)), ("other", ones(3))), strict: false, loadedParameters: seen);
        Assert.Equal([1, 1, 1, 1], module.weight.data<float>().ToArray());
        Assert.Equal([("weight", true), ("other", false)], seen.Select(item => (item.Key, item.Value)));
    }

    private static void Refuses(string words, bool strict, Dictionary<string, bool>? seen, params (string, Tensor)[] entries)
    {
        using var scope = NewDisposeScope();
        using var module = Linear(2, 2);
        var before = module.weight.clone();
        var count = seen?.Count ?? 0;
        var error = Assert.Throws<ArgumentException>(() => module.load(File(entries), strict, loadedParameters: seen));
        Assert.Contains(words, error.Message, StringComparison.Ordinal);
        Assert.Equal(before.data<float>().ToArray(), module.weight.data<float>().ToArray());
        Assert.Equal(count, seen?.Count ?? 0);
    }

    private static MemoryStream File(params (string Path, Tensor Tensor)[] entries)
    {
        var stream = new MemoryStream();
        var writer = new BinaryWriter(stream);
        writer.Write7BitEncodedInt64(entries.Length);
        foreach (var (path, value) in entries)
        {
            writer.Write(path);
            value.Save(writer);
        }

        stream.Position = 0;
        return stream;
    }
}
