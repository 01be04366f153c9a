using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Printing a recording as a tree.</summary>
public sealed class TraceTableTests
{
    private readonly Tensor _x = ones(3, 4);

    [Fact]
    public void Modules_are_indented_and_columns_aligned()
    {
        var model = new Net();
        Assert.Equal(
            """
            module     class   in     out
            (root)     Net     [3x4]  [3x2]
              block    Block   [3x4]  [3x8]
                first  Linear  [3x4]  [3x8]
                act    ReLU    [3x8]  [3x8]
              last     Linear  [3x8]  [3x2]

            """,
            Printed(model, () => model.call(_x)));
    }

    [Fact]
    public void Calls_are_counted_if_there_is_more_than_one_and_marked_if_they_vary()
    {
        var model = new Net();
        Assert.Equal(
            """
            module     class   in     out    calls
            (root)     Net     [3x4]  [3x2]     3*
              block    Block   [3x4]  [3x8]     3*
                first  Linear  [3x4]  [3x8]     3*
                act    ReLU    [3x8]  [3x8]     4*
              last     Linear  [3x8]  [3x2]     3*
            * other calls of the module have other shapes or types

            """,
            Printed(model, () =>
            {
                model.call(_x);
                model.call(ones(2, 4));
                model.call(ones(2, 4));
                ((Block)model.named_children().First().module).act.call(ones(3, 8));
            }));
    }

    [Fact]
    public void Modules_that_were_not_called_and_those_below_a_list_are_shown()
    {
        var model = new Bypassing();
        Assert.Equal(
            """
            module     class      in          out
            (root)     Bypassing  [3x4]       [3x8]
              block    Block      not called
                first  Linear     [3x4]       [3x8]
                act    ReLU       [3x8]       [3x8]
              unused   Linear     not called
              list.0   Linear     [3x8]       [3x8]
              list.1   Linear     not called

            """,
            Printed(model, () => model.call(_x)));
    }

    [Fact]
    public void Values_that_are_not_tensors_are_shown_by_their_text()
    {
        var model = new Four();
        Assert.Contains("[3x4], none, true, 0.5  [3x4]", Printed(model, () => model.call(_x, null, true, 0.5)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void No_line_is_longer_than_80_columns(bool timing)
    {
        var model = new Parent(
            (parent, x) => parent.Children[0].call(parent.Children[0].call(x)),
            ("a_module_with_a_name_that_is_much_too_long_for_a_table", new Given<Tensor, Tensor>(x => x.alias())));
        var text = Printed(model, () => model.call(ones([.. Enumerable.Repeat(1L, 20)])), new() { Timing = timing });
        var lines = text.Split(Environment.NewLine);
        Assert.All(lines, line => Assert.InRange(line.Length, 0, 80));
        Assert.Contains(lines, line => line.Length > 75);
        Assert.Contains("...", text);
        Assert.Equal(timing, text.Contains("own"));
    }

    [Fact]
    public void Modules_in_native_code_are_counted()
    {
        var model = new Native();
        var text = Printed(model, () => model.call(ones(2, 1, 4)));
        Assert.EndsWith($"encoder: 7 modules in native code, not recorded{Environment.NewLine}", text);

        model.register_module(new string('e', 90), nn.MultiheadAttention(4, 1));
        var longer = Printed(model, () => { });
        Assert.Contains($"...{new string('e', 38)}: a module in native code, not recorded", longer);
        Assert.All(longer.Split('\n'), line => Assert.InRange(line.TrimEnd().Length, 0, 80));
    }

    [Theory]
    [InlineData(12_345_678, "1.23 s")]
    [InlineData(999_499, "99.9 ms")]
    [InlineData(123_456, "12.3 ms")]
    [InlineData(9_999, "1000 us")]
    [InlineData(15, "1.50 us")]
    [InlineData(0, "0.00 us")]
    public void Times_have_about_three_digits_and_a_unit(long ticks, string text)
    {
        var summary = new ModuleSummary { Path = "", Type = "Net", Calls = 1, Cost = new(new(ticks), new(ticks / 2), 0) };
        var lines = TraceTable.Format([new(new Net(), "", null)], [summary]).ToArray();
        Assert.StartsWith("module  class", lines[0]);
        Assert.Contains($" {text}  ", lines[1]);
    }

    private static string Printed(nn.Module model, Action run, TraceOptions? options = null)
    {
        using var trace = HookTrace.Record(model, options);
        run();
        var text = new StringWriter();
        trace.Print(text);
        return text.ToString();
    }
}
