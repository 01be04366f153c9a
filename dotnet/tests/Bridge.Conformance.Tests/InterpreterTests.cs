using Bridge.Hooks;

namespace Bridge.Conformance.Tests;

/// <summary>The steps of programs, over Bridge.Hooks alone.</summary>
public class InterpreterTests
{
    private const string Raise = "{'kind': 'raise'}";

    [Fact]
    public void HooksRecordEventsAndReplaceValues()
    {
        var events = Programs.Events(
            """
            {'do': 'register', 'hook': 'p', 'kind': 'pre', 'actions': [{'add': 10}]},
            {'do': 'register', 'hook': 'g', 'kind': 'forward', 'global': true, 'actions': [{'return': {'tuple': [1, {'plain': 2}]}}]},
            {'do': 'register', 'hook': 'f', 'kind': 'forward', 'actions': [{'add': 5}]},
            {'do': 'call', 'args': [3]}
            """);
        Assert.Equal(
            [
                "pre p [3]", "enter [13]", "forward g [13] 27", """forward f [13] {"tuple":[1,{"plain":2}]}""",
                """return {"tuple":[6,{"plain":2}]}""",
            ],
            events);
    }

    [Fact]
    public void AnUnexpectedErrorEndsTheProgram()
    {
        const string Next = "{'do': 'call', 'args': [2]}, {'do': 'call', 'args': [3]}";
        Assert.Equal(
            ["enter [1]", "raise Error boom", "enter [2]", "raise Error boom"],
            Programs.Events($"{{'do': 'call', 'args': [1], 'raises': 'Error'}}, {Next}", Raise));
        Assert.Equal(
            ["enter [1]", "raise Error boom"],
            Programs.Events($"{{'do': 'call', 'args': [1], 'raises': 'TypeError'}}, {Next}", Raise));
    }

    [Fact]
    public void AMissingErrorEndsTheProgram() => Assert.Equal(
        ["enter [1]", "return 3", "raise TypeError was expected"],
        Programs.Events("{'do': 'call', 'args': [1], 'raises': 'TypeError'}, {'do': 'call', 'args': [2]}"));

    [Theory]
    [InlineData("{'do': 'call'}", "TypeError")]
    [InlineData("{'do': 'call', 'args': [1, 2]}", "TypeError")]
    [InlineData("{'do': 'call', 'args': [null]}", "TypeError")]
    [InlineData("{'do': 'call', 'args': [{'text': 'a'}]}", "TypeError")]
    [InlineData("{'do': 'call', 'args': [1], 'save': 'x'}, {'do': 'call', 'args': [{'name': 'x.0'}]}", "TypeError")]
    [InlineData("{'do': 'call', 'module': 'a', 'args': [1]}", "AttributeError")]
    [InlineData("{'do': 'remove', 'handle': 'h'}", "KeyError")]
    [InlineData("{'do': 'call', 'args': [{'name': 'x'}]}", "AttributeError")]
    [InlineData("{'do': 'register', 'hook': 'p', 'kind': 'pre', 'actions': [{'add': 1}]}, {'do': 'call'}", "IndexError")]
    [InlineData("{'do': 'register', 'hook': 'p', 'kind': 'pre', 'always_call': true}", "TypeError")]
    [InlineData("{'do': 'register', 'hook': 'p', 'kind': 'pre', 'global': true, 'prepend': true}", "TypeError")]
    [InlineData("{'do': 'register', 'hook': 'p', 'kind': 'pre'}, {'do': 'register', 'hook': 'p', 'kind': 'forward'}", "TypeError")]
    public void ErrorsHavePythonsNames(string steps, string name)
    {
        var last = Programs.Trace(steps)[^1]!;
        Assert.Equal(name, last["error"]!.GetValue<string>());
        Assert.NotEmpty(last["message"]!.GetValue<string>());
    }

    [Fact]
    public void AnOverflowIsAnError() => Assert.Equal(
        "raise OverflowError",
        Programs.Events(
            "{'do': 'call', 'args': [9007199254740991]}",
            "{'kind': 'sequence', 'children': [{'name': 'a', 'kind': 'leaf', 'k': 1048576}, {'name': 'b', 'same': 'a'}]}")[^1]);

    [Fact]
    public void AnInterruptRunsNoAlwaysCalledHooks()
    {
        const string Always = "{'do': 'register', 'hook': 'f', 'kind': 'forward', 'always_call': true}, {'do': 'call', 'args': [1]}";
        Assert.Equal(["enter [1]", "raise Interrupt boom"], Programs.Events(Always, "{'kind': 'raise', 'error': 'Interrupt'}"));
        Assert.Equal(["enter [1]", "forward f [1] null", "raise Error boom"], Programs.Events(Always, Raise));
    }

    [Fact]
    public void ASilencedHookIsFollowedByItsWarning()
    {
        var trace = Programs.Trace(
            """
            {'do': 'register', 'hook': 'f', 'kind': 'forward', 'always_call': true, 'actions': [{'raise': 'Error'}]},
            {'do': 'register', 'hook': 'g', 'kind': 'forward', 'always_call': true},
            {'do': 'call', 'args': [1]}
            """,
            Raise);
        Assert.Equal(["enter", "forward", "warning", "forward", "raise"], trace.Select(item => item!["event"]!.GetValue<string>()));
        Assert.StartsWith("module forward hook with ``always_call=True`` failed", trace[2]!["message"]!.GetValue<string>());
    }

    [Fact]
    public void AModuleInTwoPlacesHasTheFirstPath() => Assert.Equal(
        ["enter [1]", "enter a [1]", "enter a.x [1]", "enter a [3]", "enter a.x [3]", "return 7", "enter a.x [1]", "return 3"],
        Programs.Events(
            "{'do': 'call', 'args': [1]}, {'do': 'call', 'module': 'b.x', 'args': [1]}",
            """
            {'kind': 'sequence', 'children': [
              {'name': 'a', 'kind': 'sequence', 'children': [{'name': 'x', 'kind': 'leaf'}]}, {'name': 'b', 'same': 'a'}]}
            """));

    [Fact]
    public void AWithStepRemovesItsHookHoweverItsStepsEnd()
    {
        const string Hooked =
            """
            {'do': 'register', 'hook': 'p', 'kind': 'pre'},
            {'do': 'with', 'handle': 'p', 'steps': [{'do': 'call', 'args': [1]}]}
            """;
        const string Steps = Hooked + ", {'do': 'call', 'args': [2]}";
        Assert.Equal(["pre p [1]", "enter [1]", "return 3", "enter [2]", "return 5"], Programs.Events(Steps));
        Assert.Equal(["pre p [1]", "enter [1]", "raise Error boom"], Programs.Events(Steps, Raise));
    }

    [Fact]
    public void EachThreadHasItsOwnEventsAndNames()
    {
        var trace = Programs.Trace(
            """
            {'do': 'register', 'hook': 'p', 'kind': 'pre'},
            {'do': 'call', 'args': [1], 'save': 'x'},
            {'do': 'thread', 'count': 8, 'steps': [
              {'do': 'call', 'args': [{'name': 'x'}], 'save': 'x', 'times': 20},
              {'do': 'call', 'module': 'nowhere'},
              {'do': 'call', 'args': [5]}]},
            {'do': 'call', 'args': [{'name': 'x'}]}
            """);
        var threads = trace.Where(item => item!["event"]!.GetValue<string>() == "thread").ToArray();
        Assert.Equal(Enumerable.Range(0, 8), threads.Select(item => item!["number"]!.GetValue<int>()));
        foreach (var thread in threads)
        {
            var events = thread!["events"]!.AsArray();
            Assert.Equal(61, events.Count); // 20 calls of three events, and the error that ends the thread.
            Assert.Equal("AttributeError", events[^1]!["error"]!.GetValue<string>());
        }

        Assert.Equal("pre p [3]", Programs.Short(trace[^3]!.AsObject()));
    }

    [Fact]
    public void EachThreadHasItsOwnRecursion()
    {
        const string Steps = "{'do': 'thread', 'count': 4, 'steps': [{'do': 'call', 'args': [1], 'times': 50}]}";
        var trace = Programs.Trace(Steps, "{'kind': 'recurse', 'depth': 3}");
        foreach (var thread in trace) Assert.Equal(50 * 5, thread!["events"]!.AsArray().Count);
    }

    [Fact]
    public void IdsOfHandlesAscend() => Assert.Equal(
        """ids [2,0,1]""",
        Programs.Events(
            """
            {'do': 'register', 'hook': 'a', 'kind': 'pre'}, {'do': 'register', 'hook': 'b', 'kind': 'forward', 'global': true},
            {'do': 'register', 'hook': 'a', 'kind': 'pre', 'handle': 'c', 'prepend': true},
            {'do': 'ids', 'handles': ['c', 'a', 'b']}
            """)[0]);

    [Theory]
    [InlineData("")]
    [InlineData(", {'do': 'call', 'module': 'nowhere'}")]
    [InlineData(", {'do': 'jump'}")]
    [InlineData(", {'do': 'thread', 'steps': [{'do': 'jump'}]}")]
    public void GlobalHooksAreRemovedAfterTheProgram(string ending)
    {
        const string Steps =
            """
            {'do': 'register', 'hook': 'p', 'kind': 'pre', 'global': true},
            {'do': 'register', 'hook': 'f', 'kind': 'forward', 'global': true,
             'actions': [{'register': {'hook': 'q', 'kind': 'pre', 'global': true}}]},
            {'do': 'call', 'args': [1]}
            """;
        HookPrograms.Run("hooks", Programs.Program(Steps + ending));
        Assert.True(GlobalHooks.IsEmpty);
    }

    [Fact]
    public void AProgramIsRefusedWhileTheProcessHasOtherGlobalHooks()
    {
        using (GlobalHooks.Pre.Add((object _, ref object?[] _) => { }))
            Assert.Contains("global hooks are registered", Programs.Defect("{'do': 'call', 'args': [1]}"));
        Assert.Equal(["enter [1]", "return 3"], Programs.Events("{'do': 'call', 'args': [1]}"));
    }

    [Fact]
    public void ParallelProgramsAreSeparate()
    {
        const string Steps = "{'do': 'register', 'hook': 'p', 'kind': 'pre', 'global': true}, {'do': 'call', 'args': [1], 'times': 20}";
        var answers = new string[16];
        Parallel.For(0, answers.Length, i => answers[i] = HookPrograms.Run("hooks", Programs.Program(Steps)));
        Assert.Single(answers.Distinct());
        Assert.Equal(60, Programs.Trace(Steps).Count);
    }
}
