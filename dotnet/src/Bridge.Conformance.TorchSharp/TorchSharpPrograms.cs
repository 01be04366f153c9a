using Bridge.Conformance.Worlds;

namespace Bridge.Conformance;

/// <summary>Runs hook programs (docs/programs.md) on the modules of the TorchSharp that is in this process.</summary>
public static class TorchSharpPrograms
{
    /// <summary>Runs a program, which Python has validated. Nothing is thrown.</summary>
    /// <param name="mode"><c>torchsharp</c>: its own hooks. <c>torchsharp+bridge</c>: those of a <see cref="TorchSharp.HookRegistry"/>.</param>
    /// <param name="form"><c>typed</c>: modules over tensors. <c>object</c>: modules over <c>object</c>.</param>
    /// <param name="actions">The hooks that are registered without types, as <c>Action&lt;Module&gt;</c>.</param>
    /// <param name="program">The program as JSON.</param>
    /// <returns>The trace, a JSON list; or an object with <c>defect</c> or <c>forbidden</c>, as <c>HookPrograms.Run</c> of Bridge.Conformance has it.</returns>
    public static string Run(string mode, string form, IReadOnlyCollection<string> actions, string program) => ProgramRun.Answer(program, () => mode switch
    {
        _ when form is not ("typed" or "object") => throw new Defect($"modules of the form '{form}'"),
        "torchsharp" when actions.Count > 0 && !NativeHooks.HaveActions => throw new Forbidden("this TorchSharp has no hooks without types, as those before 0.102.5"),
        "torchsharp" => new NativeWorld(form == "typed", actions),
        "torchsharp+bridge" => new OrderedWorld(form == "typed"),
        _ => throw new Defect($"a mode '{mode}'"),
    });
}
