using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json;
using Bridge.Interop.Surface;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>Finds a module type in an assembly and makes one.</summary>
internal static class Loader
{
    private static readonly Dictionary<(string Path, bool ForwardFires, bool Lines), (ModelContext Context, Assembly Assembly, SurfaceCheck? Check)> Loaded = [];

    [ThreadStatic]
    private static bool _keepsLines;

    /// <summary>The lines of what this thread loads are to be known exactly.</summary>
    internal static bool KeepsLines
    {
        get => _keepsLines;
        set => _keepsLines = value;
    }

    /// <summary>Makes a module.</summary>
    /// <param name="path">Full path of the assembly.</param>
    /// <param name="type">Full type name, a nested type by '.' or '+'; or a type's static method, public or internal, that gives a module, <c>Namespace.Type.Method</c>.</param>
    /// <param name="arguments">JSON array of an array and an object, those by position and by name: numbers, strings, booleans, null, and arrays of them.</param>
    /// <param name="forwardFires">Every <c>child.forward(x)</c> in it is a <c>call</c>.</param>
    /// <param name="notes">Takes what the user should know of it.</param>
    /// <exception cref="ArgumentException">No such type, no module, abstract, or the arguments fit no constructor; the message lists what there is.</exception>
    /// <exception cref="BadImageFormatException">The file is not a .NET assembly, or is one for another architecture or a newer .NET.</exception>
    /// <exception cref="FileNotFoundException">An assembly that it needs is missing.</exception>
    /// <exception cref="NotSupportedException">It was compiled against TorchSharp and needs members that Bridge.Torch lacks; the message lists them.</exception>
    internal static torch.nn.Module Create(string path, string type, string arguments, bool forwardFires, ICollection<string> notes)
    {
        torch.nn.Module module;
        try
        {
            var (assembly, check) = Open(path, forwardFires);
            if (check is not null) SurfaceReport.Require(check, type, path);
            using var json = JsonDocument.Parse(arguments);
            module = (torch.nn.Module)(Factory(assembly, type) is { } factory
                ? Constructors.Invoke(factory, type, json.RootElement)
                : Constructors.Invoke(Constructors.Of(Find(assembly, type, path)), type, json.RootElement));
        }
        catch (IOException exception) when (Lacking(exception) is { } lacking)
        {
            throw new FileNotFoundException($"{Path.GetFileName(path)} needs the assembly {lacking}, which is neither next to it nor part of .NET. Copy it there, or load the .csproj.", lacking, exception);
        }

        // Modules inside cannot forget it: registering one registers what it holds too. Many classes leave it to the parent that they are written for.
        if (!module.HasComponents && Unregistered(module) is { } field)
        {
            module.RegisterAsChild();
            notes.Add($"{module.GetType().FullName} holds '{field}' but its constructor registers nothing: its components were registered as a parent would register them. In C# it has no parameters before; call RegisterComponents() at the end of its constructor.");
        }

        return module;
    }

    /// <summary>Makes the hooks of a class, or finds a static one.</summary>
    /// <param name="path">Full path of the assembly.</param>
    /// <param name="type">Full name of a class, or of a public static method.</param>
    /// <param name="arguments">Those of the constructor, as for <see cref="Create"/>.</param>
    /// <exception cref="ArgumentException">No such type, or it has no hooks, or the arguments fit no constructor.</exception>
    internal static byte[] CreateHooks(string path, string type, string arguments)
    {
        var (assembly, check) = Open(path, false);
        if (check is not null) SurfaceReport.Require(check, type, path);
        using var json = JsonDocument.Parse(arguments);
        var dot = type.LastIndexOf('.');
        var isMethod = dot > 0 && TypeNames.Find(assembly, type) is null && TypeNames.Find(assembly, type[..dot]) is not null;
        var found = TypeNames.Find(assembly, isMethod ? type[..dot] : type)
            ?? throw new ArgumentException($"{Path.GetFileName(path)} has no type '{type}'.{NearNames.Suggest(type, TypeNames.Types(assembly).Where(other => other.IsPublic).Select(other => other.FullName!).ToArray())}");
        if (isMethod && json.RootElement[0].GetArrayLength() + json.RootElement[1].EnumerateObject().Count() > 0) throw new ArgumentException($"{type} is a static method: it takes no constructor arguments.");
        if (!isMethod && found is { IsAbstract: true, IsSealed: false }) throw new ArgumentException($"{type} is abstract and cannot be created.");
        var target = isMethod || found is { IsAbstract: true } ? null : Constructors.Invoke(Constructors.Of(found), type, json.RootElement);
        var hooks = LoadedHooks.Of(found, target, isMethod ? type[(dot + 1)..] : null);
        return hooks.Length > 0 ? LoadedHooks.Describe(found, target, hooks)
            : throw new ArgumentException($"{type} is not a hook: expected is {(isMethod ? "a public static method" : "a class with a public method")} that takes {LoadedHooks.Expected}.");
    }

    // Each file has a context of its own, so two builds of one assembly can be loaded side by side; ours are shared. A context is used again
    // as long as no file that was loaded into it has changed: the assembly itself, and those that it refers to.
    private static (Assembly Assembly, SurfaceCheck? Check) Open(string path, bool forwardFires)
    {
        // Our own assemblies run already, or are the ones to use.
        if (Origin.IsOurName(Path.GetFileNameWithoutExtension(path)))
        {
            if (FilePath.IsIn(path, Path.GetDirectoryName(typeof(Loader).Assembly.Location)!)) return (Assembly.LoadFrom(path), null);
            Origin.Refuse(Path.GetDirectoryName(path)!, Path.GetFileNameWithoutExtension(path));
        }

        var key = (FilePath.Key(path), forwardFires, KeepsLines);
        lock (Loaded)
        {
            if (Loaded.TryGetValue(key, out var known) && known.Context.IsCurrent) return (known.Assembly, known.Check);
            // Who edits a model once does so again: its builds may go, except the first, and whatever is loaded once keeps its fast static fields.
            var context = new ModelContext(path, forwardFires, KeepsLines, collectible: known.Context is not null);
            SurfaceCheck? check = null;
            var assembly = context.Read(path, (code, file) => check = AssemblyCheck.Check(code, file));
            if (check is { Root.UsesTorchSharp: false }) check = null;
            Loaded[key] = (context, assembly, check);
            known.Check?.Dispose();
            return (assembly, check);
        }
    }

    /// <summary>The methods of that name, if a type has some that give a module.</summary>
    private static MethodBase[]? Factory(Assembly assembly, string name)
    {
        MethodBase[] methods = TypeNames.Factories(assembly, name, typeof(torch.nn.Module));
        if (methods.Length == 0) return null;
        var open = methods.Where(Constructors.IsOpen).ToArray();
        return open.Length > 0 ? open : throw new ArgumentException($"{name} is {Constructors.Access(methods[0])}: make it public or internal.");
    }

    private static Type Find(Assembly assembly, string name, string path)
    {
        string Others() => TypeNames.Others(assembly, name, typeof(torch.nn.Module));
        var found = TypeNames.Find(assembly, name) ?? throw new ArgumentException($"{Path.GetFileName(path)} has no type '{name}'.{Others()}");
        if (!typeof(torch.nn.Module).IsAssignableFrom(found)) throw new ArgumentException($"{name} is not a module: it does not derive from torch.nn.Module.{(found is { IsAbstract: true, IsSealed: true } ? Others() : "")}");
        if (found.IsAbstract) throw new ArgumentException($"{name} is abstract and cannot be created.");
        return found;
    }

    /// <summary>The assembly that could not be found; null when something else is missing, such as a data file.</summary>
    private static string? Lacking(IOException exception) => exception switch
    {
        FileNotFoundException { FileName: { } name } when name.Contains(", Version=", StringComparison.Ordinal) => name,
        FileLoadException { FileName: { } name } when name.Contains(", Version=", StringComparison.Ordinal) => name,
        _ => null,
    };

    /// <summary>A field that holds a module or a parameter. A plain tensor may be deliberately not a buffer of the module.</summary>
    private static string? Unregistered(torch.nn.Module module) =>
        module.GetType().GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .FirstOrDefault(field => field.GetValue(module) is torch.nn.Module or TorchSharp.Modules.Parameter)?.Name;
}
