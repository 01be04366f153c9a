using Bridge.Conformance.Worlds;

namespace Bridge.Conformance;

/// <summary>Runs hook programs (docs/programs.md) on modules of the TorchSharp in this process.</summary>
public static class TorchSharpPrograms
{
    /// <summary>Runs a program, which Python has validated. Throws nothing.</summary>
    /// <param name="mode"><c>torchsharp</c>: with TorchSharp's own hooks. <c>torchsharp+bridge</c>: with the hooks of a
    /// <see cref="TorchSharp.HookRegistry"/>.</param>
    /// <param name="form">How modules declare arguments and results: <c>typed</c>, as tensors; <c>object</c>, as <c>object</c>.</param>
    /// <param name="actions">With <c>torchsharp</c>: the names of the hooks that are registered as <c>Action&lt;Module&gt;</c>.</param>
    /// <param name="program">The program as JSON.</param>
    /// <returns>
    /// The trace, a JSON list; or an object with <c>defect</c> or <c>forbidden</c>, as from <c>HookPrograms.Run</c> of Bridge.Conformance.
    /// </returns>
    public static string Run(string mode, string form, IReadOnlyCollection<string> actions, string program)
    {
        return ProgramRun.Answer(program, () => mode switch
        {
            _ when form is not ("typed" or "object") => throw new DefectException($"unknown form '{form}'"),
            "torchsharp" when actions.Count > 0 && !NativeHooks.SupportsUntyped =>
                throw new ForbiddenException("TorchSharp before 0.102.5 has no untyped hooks"),
            "torchsharp" => new NativeWorld(form == "typed", actions),
            "torchsharp+bridge" => new OrderedWorld(form == "typed"),
            _ => throw new DefectException($"unknown mode '{mode}'"),
        });
    }
}
