using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.Utils;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>ComponentList.cs, ComponentDict.cs and OrderedDict.cs where there are many entries.</summary>
public sealed class CollectionTests : WithTorch
{
    private const int Many = 1000;

    public static TheoryData<string> Kinds => ["list", "dict", "parameters", "named parameters", "sequential", "module"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Adding_to_many_takes_no_more_than_adding_to_few(string kind)
    {
        var (collection, add) = Empty(kind);
        var sizes = new List<long>();
        for (var round = 0; round < 3; round++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = 0; i < Many; i++) add(round * Many + i);
            sizes.Add(GC.GetAllocatedBytesForCurrentThread() - before);
        }

        // A list that is copied for each entry makes this 5.
        Assert.InRange(sizes[2], 0, 2 * sizes[0]);
        Assert.Equal(3 * Many, kind.Contains("parameters", StringComparison.Ordinal)
            ? collection.named_parameters().Count() : collection.Children.Count);
    }

    [Fact]
    public void A_list_that_grows_while_it_is_walked_goes_on_with_what_it_had()
    {
        var list = ModuleList<Module>(Identity(), Identity());
        var seen = 0;
        foreach (var _ in list)
        {
            seen++;
            list.Add(Identity());
        }

        Assert.Equal((2, 4), (seen, list.Count));
        Assert.Equal(["0", "1", "2", "3"], list.named_children().Select(item => item.name));
    }

    [Fact]
    public void What_cannot_be_added_is_not_there()
    {
        var list = ModuleList<Module>(Identity());
        Assert.Throws<ArgumentNullException>(() => list.Add(null!));
        var map = ModuleDict<Module>(("a", Identity()));
        Assert.Throws<InvalidOperationException>(() => map.Add("a", Identity()));
        Assert.Throws<ArgumentException>(() => map.Add("a.b", Identity()));
        Assert.Throws<ArgumentNullException>(() => map.Add("b", null!));
        Assert.Throws<ArgumentNullException>(() => Sequential().append("a", null!));
        Assert.Equal((1, 1), (list.Count, map.Count));
        Assert.Equal(["a"], map.named_children().Select(item => item.name));
    }

    [Fact]
    public void A_key_that_a_dictionary_lacks_is_named()
    {
        Assert.Equal("There is no key 'a': the dictionary is empty.", Lacks(() => ModuleDict<Module>()["a"]));
        Assert.Equal("There is no key 'a': the dictionary is empty.", Lacks(() => new OrderedDict<string, int>()["a"]));
        Assert.Equal("'a' is not one of b.", Lacks(() => ModuleDict<Module>(("b", Identity()))["a"]));
        static string Lacks(Func<object> find) => Assert.Throws<KeyNotFoundException>(find).Message;
    }

    [Fact]
    public void Keys_of_many_entries_are_found_after_every_change()
    {
        var map = new OrderedDict<string, int>();
        for (var i = 0; i < 40; i++) map.Add($"{i}", i);
        Assert.True(map.Remove("3"));
        map.Insert(5, ("new", 100));
        map[0] = ("first", 0);
        map["39"] = 390;
        map["last"] = 1;
        map.RemoveAt(10);
        Assert.True(map.Remove(("38", 38)));
        Assert.False(map.Remove(("37", 38)));
        var entries = (IEnumerable<(string Name, int Value)>)map;
        Assert.Equal(entries.Select(item => item.Value), entries.Select(item => map[item.Name]));
        Assert.False(map.ContainsKey("0") || map.ContainsKey("3") || map.ContainsKey("38"));
        Assert.Equal((390, 100), (map["39"], map["new"]));
        Assert.Throws<ArgumentException>(() => map.Add("last", 2));
        map.Clear();
        Assert.False(map.ContainsKey("39"));
    }

    private static (Module Collection, Action<int> Add) Empty(string kind)
    {
        var (list, map, sequential, module) = (ModuleList<Module>(), ModuleDict<Module>(), Sequential(), new Plain());
        var (parameters, named) = (ParameterList(), ParameterDict());
        return kind switch
        {
            "list" => (list, _ => list.Add(Identity())),
            "dict" => (map, i => map[$"{i}"] = Identity()),
            "parameters" => (parameters, _ => parameters.append(Parameter(torch.zeros(1)))),
            "named parameters" => (named, i => named[$"{i}"] = Parameter(torch.zeros(1))),
            "sequential" => (sequential, _ => sequential.append(Identity())),
            _ => (module, i => module.register_module($"{i}", Identity())),
        };
    }

    private sealed class Plain() : Module(nameof(Plain));
}
