extern alias real;

using System.Text.Json;
using Bridge.Interop;
using Bridge.Interop.Surface;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>
/// Loads a model's assembly on this process's TorchSharp, creates objects of the assembly's classes, and lists the TorchSharp members that
/// the assembly uses.
/// </summary>
internal static class Loading
{
    /// <summary>Creates an instance of a class, or the result of a static method.</summary>
    /// <param name="path">The assembly's full path.</param>
    /// <param name="type">The full name of the class or method.</param>
    /// <param name="arguments">A JSON array of the positional arguments, as an array, and the named arguments, as an object.</param>
    /// <param name="forwardFires">Whether <c>child.forward(x)</c> fires the child's hooks (<see cref="ForwardFires"/>).</param>
    internal static torch.nn.Module Create(string path, string type, string arguments, bool forwardFires)
    {
        var assembly = TorchSharpAssemblyContext.Open(path, typeof(torch).Assembly, forwardFires ? ForwardFires.Rewrite : null);
        using var json = JsonDocument.Parse(arguments);
        return (torch.nn.Module)ModuleFactory.Create(
            assembly, type, json.RootElement, typeof(torch.nn.Module), "TorchSharp", HeldObjects.Get);
    }

    /// <summary>Creates an object (<see cref="ObjectFactory.Create"/>). The parameters are those of <see cref="Create"/>.</summary>
    internal static object CreateObject(string path, string type, string arguments, bool forwardFires)
    {
        var assembly = TorchSharpAssemblyContext.Open(path, typeof(torch).Assembly, forwardFires ? ForwardFires.Rewrite : null);
        using var json = JsonDocument.Parse(arguments);
        return ObjectFactory.Create(assembly, type, json.RootElement, HeldObjects.Get);
    }

    /// <summary>Returns the members of TorchSharp to which an assembly refers, a line each, such as <c>torch.Tensor.add</c>.</summary>
    internal static string References(string path)
    {
        using var assembly = new CheckedAssembly(File.ReadAllBytes(path));
        return string.Join('\n', assembly.TorchSharpMembers());
    }
}
