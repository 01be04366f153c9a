using System.Runtime.ExceptionServices;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>Runs the steps of a hook program.</summary>
internal sealed class Interpreter(ProgramSession session)
{
    /// <summary>
    /// Runs steps. Stops and returns false after a step that fails. If the step has the field <c>raises</c>, it fails unless it throws the
    /// exception named there; otherwise, it fails if it throws.
    /// </summary>
    /// <param name="steps">The steps.</param>
    /// <param name="block">Whether the steps are those of a <c>with</c> step, from which an unexpected exception propagates (H-5).</param>
    internal bool Run(JsonElement steps, bool block = false)
    {
        foreach (var step in steps.EnumerateArray())
        {
            if (!RunStep(step, block)) return false;
        }

        return true;
    }

    private bool RunStep(JsonElement step, bool block)
    {
        var expected = step.Text("raises");
        try
        {
            if (!Execute(step)) return false;
        }
        catch (Exception exception) when (exception is not DefectException && (!block || ExceptionNames.Get(exception).Name == expected))
        {
            var (name, own) = ExceptionNames.Get(exception);
            // Python replaces the field `message` by `key`, the message's key in hook_contract/contract/messages.toml.
            session.Record(new() { ["event"] = "raise", ["error"] = name, [own ? "key" : "message"] = exception.Message });
            return name == expected;
        }

        if (expected is null) return true;
        session.Record(new() { ["event"] = "raise", ["error"] = "", ["key"] = $"{expected} was expected" });
        return false;
    }

    private bool Execute(JsonElement step)
    {
        switch (step.NeedText("do"))
        {
            case "register":
                session.Register(step);
                return true;
            case "remove":
                session.Handle(step.NeedText("handle")).Dispose();
                return true;
            case "call":
                Call(step, session.World.Call);
                return true;
            case "forward":
                Call(step, session.World.Forward);
                return true;
            case "read":
                session.Read(step);
                return true;
            case "ids":
                RecordIds(step);
                return true;
            case "with":
                using (session.Handle(step.NeedText("handle"))) return Run(step.Need("steps"), block: true);
            case "try":
                Run(step.Need("steps"));
                return true;
            case "thread":
                RunThreads(step);
                return true;
            case var word:
                throw new DefectException($"unknown step '{word}'");
        }
    }

    private void Call(JsonElement step, Func<object, object?[], object?> call)
    {
        if (step.TryGetProperty("kwargs", out var kwargs) && kwargs.EnumerateObject().Any())
            throw new DefectException("kwargs are not supported");
        var module = session.Module(step.Text("module") ?? "");
        for (var times = step.Integer("times", 1); times > 0; times--)
        {
            var result = call(module, session.Args(step));
            session.Record(new() { ["event"] = "return", ["value"] = session.Values.Write(result) });
            if (step.Text("save") is { } name) session.Save(name, result);
        }
    }

    private void RecordIds(JsonElement step)
    {
        var names = step.Items("handles").Select(name => name.GetString()!).ToArray();
        var ids = names.Select(name => session.World.Id(session.Handle(name))).ToArray();
        var ranks = ids.Select(id => (JsonNode?)ids.Count(other => other < id));
        session.Record(new()
        {
            ["event"] = "ids",
            ["handles"] = new JsonArray(names.Select(name => (JsonNode?)name).ToArray()),
            ["ranks"] = new JsonArray(ranks.ToArray()),
        });
    }

    private void RunThreads(JsonElement step)
    {
        var steps = step.Need("steps");
        var traces = new JsonArray[step.Integer("count", 1)];
        ExceptionDispatchInfo? defect = null;
        var threads = Enumerable.Range(0, traces.Length).Select(number => new Thread(() =>
        {
            try
            {
                traces[number] = session.RunThread(() => Run(steps));
            }
            catch (Exception exception)
            {
                // An exception that leaves a thread would end the process.
                defect = ExceptionDispatchInfo.Capture(exception);
            }
        })).ToArray();
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        defect?.Throw();
        for (var number = 0; number < traces.Length; number++)
            session.Record(new() { ["event"] = "thread", ["number"] = number, ["events"] = traces[number] });
    }
}
