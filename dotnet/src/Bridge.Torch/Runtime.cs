using Bridge.Torch.Native;

namespace Bridge.Torch;

/// <summary>
/// The binding of Bridge.Torch to a libtorch. <c>bridge.load</c> binds it in Python; a process without Python calls <see cref="Bind"/>.
/// </summary>
public static class Runtime
{
    /// <summary>Binds the library, unless one is bound already, and reads the schemas of its operators.</summary>
    /// <param name="libtorch">Full path of libtorch_cpu.</param>
    /// <param name="schemas">The text that <c>python -m bridge schema</c> writes for that torch.</param>
    /// <exception cref="DllNotFoundException">The library cannot be loaded.</exception>
    /// <exception cref="NotSupportedException">The library is older than torch 2.10.</exception>
    public static void Bind(string libtorch, string schemas)
    {
        Abi.Bind(libtorch);
        Schemas.Read(schemas);
    }

    /// <summary>Gets the version of the bound libtorch, such as <c>2.13.0</c>; <c>0.0.0</c> if none is bound.</summary>
    public static string LibtorchVersion => $"{Abi.Version >> 56}.{(Abi.Version >> 48) & 0xFF}.{(Abi.Version >> 40) & 0xFF}";

    /// <summary>Gets the names of the operator overloads that Bridge.Torch calls, such as <c>aten::relu</c>.</summary>
    public static IReadOnlyList<string> Operators { get; } = Rows.Operators.Split('\n');
}
