using System.Reflection;
using System.Text.Json;

namespace Bridge.Interop;

/// <summary>Creates a module of a model's assembly, on TorchSharp or Bridge.Torch.</summary>
/// <remarks>Bridge.Host compiles this file too.</remarks>
internal static class ModuleFactory
{
    /// <summary>Creates an instance of a class, or the result of a static method.</summary>
    /// <param name="assembly">The model's assembly.</param>
    /// <param name="name">The full name of the class or method.</param>
    /// <param name="arguments">A JSON array of the positional arguments, as an array, and the named arguments, as an object.</param>
    /// <param name="module">The library's type <c>torch.nn.Module</c>.</param>
    /// <param name="title">The library's name, for messages.</param>
    /// <param name="held">Returns the .NET object with the given number.</param>
    /// <exception cref="ArgumentException">
    /// There is no such class or method, the class is not a module or cannot be created, the method returned null, or the arguments do not
    /// fit.
    /// </exception>
    internal static object Create(
        Assembly assembly, string name, JsonElement arguments, Type module, string title, Func<long, object?> held)
    {
        string Others() => TypeNames.Alternatives(assembly, name, module);
        MethodBase[] candidates;
        if (TypeNames.Find(assembly, name) is { } type)
        {
            if (!module.IsAssignableFrom(type))
            {
                var others = type is { IsAbstract: true, IsSealed: true } ? Others() : "";
                throw new ArgumentException(
                    $"{name} is not a module of {title}: it does not derive from that library's torch.nn.Module.{others}");
            }

            if (TypeNames.Obstacle(type) is { } obstacle) throw new ArgumentException($"{name} {obstacle}");
            candidates = Constructors.Accessible(type);
        }
        else
        {
            candidates = [.. TypeNames.Factories(assembly, name, module).Where(Constructors.IsAccessible)];
            if (candidates.Length == 0) throw new ArgumentException($"{assembly.GetName().Name}.dll has no type '{name}'.{Others()}");
        }

        return Constructors.Invoke(candidates, name, arguments, held);
    }
}
