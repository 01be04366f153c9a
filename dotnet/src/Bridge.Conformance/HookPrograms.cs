using Bridge.Conformance.Worlds;

namespace Bridge.Conformance;

/// <summary>Runs hook programs (docs/programs.md) entirely in C#: one crossing per program.</summary>
public static class HookPrograms
{
    /// <summary>Runs a program, which Python has validated. Nothing is thrown.</summary>
    /// <param name="world">Over what: <c>hooks</c> (Bridge.Hooks alone, over integers), <c>typed</c> or <c>object</c> (Bridge.Torch).</param>
    /// <param name="program">The program as JSON.</param>
    /// <param name="device">Where tensors are made.</param>
    /// <returns>
    /// The trace, a JSON list. A <c>raise</c> that is not the program's own, and a <c>warning</c>, have <c>message</c> in place of
    /// <c>key</c>. Instead of the list an object with <c>defect</c> when the interpreter could not run the program, with
    /// <c>forbidden</c> when types do not allow its tree.
    /// </returns>
    public static string Run(string world, string program, string device = "cpu") => ProgramRun.Answer(program, () => world switch
    {
        "hooks" => new HooksWorld(),
        "typed" or "object" => new TorchWorld(world == "typed", device),
        _ => throw new Defect($"a world '{world}'"),
    });
}
