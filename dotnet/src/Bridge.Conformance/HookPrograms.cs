using Bridge.Conformance.Worlds;

namespace Bridge.Conformance;

/// <summary>Runs hook programs (docs/programs.md) in C#, with one call from Python for each program.</summary>
public static class HookPrograms
{
    /// <summary>Runs a program, which Python has validated. Throws nothing.</summary>
    /// <param name="world">
    /// The library: <c>hooks</c> is Bridge.Hooks alone, with integers as arguments and results. <c>typed</c> and <c>object</c>
    /// are Bridge.Torch, with modules that declare their arguments and results as tensors or as <c>object</c>.
    /// </param>
    /// <param name="program">The program as JSON.</param>
    /// <param name="device">The device of tensors.</param>
    /// <returns>
    /// The trace, a JSON list. An event <c>warning</c> has the field <c>message</c> instead of <c>key</c>, and so has an event <c>raise</c>
    /// of an exception that the program did not create. If C#'s types do not allow the program, the result is an object with the reason in
    /// <c>forbidden</c>. If the interpreter cannot run the program for another reason, the result is an object with the reason in
    /// <c>defect</c>.
    /// </returns>
    public static string Run(string world, string program, string device = "cpu") => ProgramRun.Answer(program, () => world switch
    {
        "hooks" => new HooksWorld(),
        "typed" or "object" => new TorchWorld(world == "typed", device),
        _ => throw new DefectException($"unknown world '{world}'"),
    });
}
