using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json;
using Bridge.Interop.Surface;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>Loads a model's assembly, and creates modules, hooks and other objects of its classes.</summary>
internal static class Loader
{
    private static readonly Dictionary<(string Path, bool ForwardFires, bool Lines), LoadedAssembly> Loaded = [];

    [ThreadStatic]
    private static bool _keepsLines;

    /// <summary>Whether assemblies that this thread loads keep exact line numbers in stack traces.</summary>
    internal static bool KeepsLines
    {
        get => _keepsLines;
        set => _keepsLines = value;
    }

    /// <summary>Creates a module.</summary>
    /// <param name="path">The full path of the assembly.</param>
    /// <param name="type">
    /// The full name of a class, with '.' or '+' before a nested class, or of a public or internal static method that returns a module.
    /// </param>
    /// <param name="arguments">
    /// A JSON array of two items: an array of the positional arguments, and an object of the named arguments. Values are numbers, strings,
    /// booleans, null, and arrays and objects of them (<see cref="Constructors.Invoke"/>).
    /// </param>
    /// <param name="forwardFires">Whether <c>child.forward(x)</c> fires the child's hooks (<see cref="ForwardFires"/>).</param>
    /// <param name="registerComponents">
    /// Whether to register the components of the module, and of a Sequential's children, if their classes register none. TorchSharp does
    /// not register them.
    /// </param>
    /// <param name="notes">The list to which messages for the user are added.</param>
    /// <exception cref="ArgumentException">
    /// The type or method does not exist or is not accessible; the type is not a module, is abstract or generic, or has no accessible
    /// constructor; the method returned null; or the arguments fit no constructor or fit several equally well.
    /// </exception>
    /// <exception cref="BadImageFormatException">
    /// The file is damaged, is not a .NET assembly, has native code (C++/CLI), or is for another architecture or a newer .NET.
    /// </exception>
    /// <exception cref="FileLoadException">.NET found a dependency but cannot load it.</exception>
    /// <exception cref="FileNotFoundException">The file or a dependency is missing.</exception>
    /// <exception cref="NotSupportedException">
    /// The assembly was compiled against TorchSharp and needs members that Bridge.Torch lacks (the message lists them), has the name of an
    /// assembly of this project, or, with <c>forward_fires</c>, has a file name of fewer than five characters (see
    /// <see cref="ForwardFires"/>).
    /// </exception>
    internal static torch.nn.Module Create(
        string path, string type, string arguments, bool forwardFires, bool registerComponents, ICollection<string> notes)
    {
        torch.nn.Module module;
        try
        {
            torch.nn.Module.LeavesUnregistered = !registerComponents;
            var (assembly, check) = Open(path, forwardFires);
            if (check is not null) SurfaceReport.Require(check, type, path);
            using var json = JsonDocument.Parse(arguments);
            var methods = Factories(assembly, type) ?? Constructors.Accessible(Find(assembly, type, path));
            module = (torch.nn.Module)Constructors.Invoke(methods, type, json.RootElement, HeldObjects.Get);
        }
        catch (IOException exception) when (MissingAssembly(exception) is { } missing)
        {
            var needs = $"{Path.GetFileName(path)} needs the assembly {missing}, which ";
            throw exception is FileLoadException
                ? new FileLoadException($"{needs}cannot be loaded: {exception.Message}", missing, exception)
                : new FileNotFoundException(
                    $"{needs}is neither next to it nor part of .NET. "
                    + $"Copy that assembly next to {Path.GetFileName(path)}, or load the .csproj.", missing, exception);
        }

        finally
        {
            torch.nn.Module.LeavesUnregistered = false;
        }

        // A parent registers the fields of its children. Many classes rely on that, but the root has no parent.
        if (registerComponents && !module.HasComponents && Unregistered(module) is { } field)
        {
            module.RegisterAsChild();
            notes.Add(
                $"{TypeNames.CSharpName(module.GetType())} holds '{field}' but its constructor registers nothing: its components were "
                + "registered as a parent would register them. In a C# program, such a module has no parameters, and eval() leaves its "
                + "BatchNorm and Dropout layers in train mode, unless a parent registers them: call RegisterComponents() at the "
                + "end of its constructor, or pass register_components=False to do as TorchSharp does.");
        }

        return module;
    }

    /// <summary>Creates an object or an array, or returns the result of a static method (<see cref="ObjectFactory.Create"/>).</summary>
    /// <param name="path">The full path of the assembly.</param>
    /// <param name="type">The full name of a class, record or struct, or of a static method; or an array such as <c>long[]</c>.</param>
    /// <param name="arguments">The arguments, as for <see cref="Create"/>; named ones may also be values of properties and fields.</param>
    /// <param name="forwardFires">Whether the model that gets the object was loaded with <c>forward_fires</c>.</param>
    /// <exception cref="ArgumentException">
    /// The type does not exist or cannot be created, the method returned null, or the arguments do not fit.
    /// </exception>
    /// <exception cref="BadImageFormatException">As for <see cref="Create"/>.</exception>
    /// <exception cref="FileLoadException">As for <see cref="Create"/>.</exception>
    /// <exception cref="FileNotFoundException">As for <see cref="Create"/>.</exception>
    /// <exception cref="NotSupportedException">As for <see cref="Create"/>.</exception>
    /// <exception cref="InvalidCastException">An item does not fit the array.</exception>
    internal static object CreateObject(string path, string type, string arguments, bool forwardFires)
    {
        var (assembly, check) = Open(path, forwardFires);
        if (check is not null) SurfaceReport.Require(check, type, path);
        using var json = JsonDocument.Parse(arguments);
        return ObjectFactory.Create(assembly, type, json.RootElement, HeldObjects.Get);
    }

    /// <summary>Creates the hooks of a class, or of a static method, and returns their description.</summary>
    /// <param name="path">The full path of the assembly.</param>
    /// <param name="type">The full name of a class, or of a public static method.</param>
    /// <param name="arguments">The constructor's arguments, as for <see cref="Create"/>.</param>
    /// <exception cref="ArgumentException">
    /// The type does not exist, is abstract, or has no hooks or accessible constructor; or the arguments do not fit.
    /// </exception>
    /// <exception cref="BadImageFormatException">As for <see cref="Create"/>.</exception>
    /// <exception cref="FileLoadException">As for <see cref="Create"/>.</exception>
    /// <exception cref="FileNotFoundException">As for <see cref="Create"/>.</exception>
    /// <exception cref="NotSupportedException">As for <see cref="Create"/>.</exception>
    internal static byte[] CreateHooks(string path, string type, string arguments)
    {
        var (assembly, check) = Open(path, false);
        if (check is not null) SurfaceReport.Require(check, type, path);
        using var json = JsonDocument.Parse(arguments);
        var dot = type.LastIndexOf('.');
        var isMethod = dot > 0 && TypeNames.Find(assembly, type) is null && TypeNames.Find(assembly, type[..dot]) is not null;
        var found = TypeNames.Find(assembly, isMethod ? type[..dot] : type)
            ?? throw new ArgumentException(
                $"{Path.GetFileName(path)} has no type '{type}'.{NearNames.Suggest(type, PublicNames(assembly))}");
        if (!isMethod && found is { IsAbstract: true, IsSealed: false })
            throw new ArgumentException($"{type} is abstract and cannot be created.");
        var isStatic = isMethod || found.IsAbstract;
        if (isStatic && json.RootElement[0].GetArrayLength() + json.RootElement[1].EnumerateObject().Count() > 0)
            throw new ArgumentException($"{type} is a static {(isMethod ? "method" : "class")}: it takes no constructor arguments.");
        var target = isStatic ? null
            : Constructors.Invoke(Constructors.Accessible(found), type, json.RootElement, HeldObjects.Get);
        var hooks = LoadedHooks.Find(found, target, isMethod ? type[(dot + 1)..] : null);
        if (hooks.Length > 0) return LoadedHooks.Describe(found, target, hooks);
        var expected = isMethod ? "a public static method" : "a class with a public method";
        throw new ArgumentException($"{type} is not a hook: name {expected} that takes {LoadedHooks.ExpectedParameters}."
            + (isMethod ? NearNames.Suggest(type, StaticMethods(found).Where(method => method != type)) : ""));
    }

    private static IEnumerable<string> PublicNames(Assembly assembly) => TypeNames.Types(assembly)
        .Where(type => type is { IsVisible: true, IsGenericTypeDefinition: false })
        .SelectMany(type => StaticMethods(type).Prepend(TypeNames.CSharpName(type)));

    private static IEnumerable<string> StaticMethods(Type type) =>
        type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.DeclaredOnly).Where(method => !method.IsSpecialName)
            .Select(method => $"{TypeNames.CSharpName(type)}.{method.Name}");

    // There is a load context for each combination of path, forwardFires and KeepsLines. After one of its files has changed, a new context
    // takes its place.
    private static (Assembly Assembly, SurfaceCheck? Check) Open(string path, bool forwardFires)
    {
        // The bridge's own assemblies are loaded already.
        if (Origin.IsOurName(Path.GetFileNameWithoutExtension(path)))
        {
            if (FilePath.IsIn(path, Origin.Folder)) return (Origin.Loaded(path) ?? Assembly.LoadFrom(path), null);
            Origin.Refuse(Path.GetDirectoryName(path)!, Path.GetFileNameWithoutExtension(path));
        }

        var key = (FilePath.Key(path), forwardFires, KeepsLines);
        lock (Loaded)
        {
            if (Loaded.TryGetValue(key, out var known) && known.Context.IsUpToDate) return (known.Assembly, known.Check);
            // Later builds of an edited model can be unloaded. The first build cannot: static fields of a collectible assembly are slow.
            var context = new ModelLoadContext(path, forwardFires, KeepsLines, collectible: known is not null);
            SurfaceCheck? check = null;
            var assembly = context.Read(path, (code, file) => check = AssemblyCheck.Check(code, file));
            if (check is { Root.UsesTorchSharp: false }) check = null;
            // The earlier check is not disposed: another thread may still read it.
            Loaded[key] = new(context, assembly, check);
            return (assembly, check);
        }
    }

    /// <summary>Returns the public and internal static methods with this name that return a module; null if no method does.</summary>
    /// <exception cref="ArgumentException">The methods with this name that return a module are private or protected.</exception>
    private static MethodBase[]? Factories(Assembly assembly, string name)
    {
        MethodBase[] methods = TypeNames.Factories(assembly, name, typeof(torch.nn.Module));
        if (methods.Length == 0) return null;
        var accessible = methods.Where(Constructors.IsAccessible).ToArray();
        if (accessible.Length > 0) return accessible;
        throw new ArgumentException($"{name} is {Constructors.AccessModifier(methods[0])}: make it public or internal.");
    }

    private static Type Find(Assembly assembly, string name, string path)
    {
        string Alternatives() => TypeNames.Alternatives(assembly, name, typeof(torch.nn.Module));
        var found = TypeNames.Find(assembly, name)
            ?? throw new ArgumentException($"{Path.GetFileName(path)} has no type '{name}'.{Alternatives()}");
        if (!typeof(torch.nn.Module).IsAssignableFrom(found))
        {
            var alternatives = found is { IsAbstract: true, IsSealed: true } ? Alternatives() : "";
            throw new ArgumentException($"{name} is not a module: it does not derive from torch.nn.Module.{alternatives}");
        }

        if (TypeNames.Obstacle(found) is { } obstacle) throw new ArgumentException($"{name} {obstacle}");
        return found;
    }

    /// <summary>Returns the full name of the assembly that was not loaded; null if the exception does not name an assembly.</summary>
    private static string? MissingAssembly(IOException exception) => exception switch
    {
        FileNotFoundException { FileName: { } name } when name.Contains(", Version=", StringComparison.Ordinal) => name,
        FileLoadException { FileName: { } name } when name.Contains(", Version=", StringComparison.Ordinal) => name,
        _ => null,
    };

    /// <summary>
    /// Returns the name of a field that holds a module or a parameter; null if there is none. Plain tensors do not count: they may be
    /// unregistered on purpose.
    /// </summary>
    private static string? Unregistered(torch.nn.Module module) =>
        module.GetType().GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .FirstOrDefault(field => field.GetValue(module) is torch.nn.Module or TorchSharp.Modules.Parameter)?.Name;

    private sealed record LoadedAssembly(ModelLoadContext Context, Assembly Assembly, SurfaceCheck? Check);
}
