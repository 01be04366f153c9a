using Bridge.Torch.Native;

namespace Bridge.Torch;

/// <summary>
/// Binds Bridge.Torch to a libtorch. Python does this for a model that it loads; a process without Python calls it itself.
/// </summary>
public static class Runtime
{
    /// <summary>Binds the library and reads the schemas of its operators.</summary>
    /// <param name="libtorch">Full path of libtorch_cpu.</param>
    /// <param name="schemas">The text that <c>python -m bridge schema</c> writes for that torch.</param>
    /// <exception cref="NotSupportedException">torch is older than 2.10.</exception>
    public static void Bind(string libtorch, string schemas)
    {
        Abi.Bind(libtorch);
        Schemas.Read(schemas);
    }

    /// <summary>The version of the libtorch that is bound, such as <c>2.13.0</c>.</summary>
    public static string LibtorchVersion => $"{Abi.Version >> 56}.{(Abi.Version >> 48) & 0xFF}.{(Abi.Version >> 40) & 0xFF}";

    /// <summary>The dispatcher overloads of the operator table, each once.</summary>
    public static IReadOnlyList<string> Operators { get; } = Rows.Operators.Split('\n');
}
