using System.Reflection;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>A model that runs here: its modules by their paths, and how they are called.</summary>
internal sealed class HostedModel
{
    private readonly Dictionary<object, (MethodInfo Call, ParameterInfo[] Parameters)> _calls = new(ReferenceEqualityComparer.Instance);

    private readonly ModelLibrary _library;
    private readonly ModuleReader _reader;
    private readonly Dictionary<string, HostedModule> _byPath;
    private readonly Dictionary<string, object> _state;
    private readonly (string Name, object Tensor, bool Buffer)[] _tensors;
    private readonly (long Version, long Sample)[] _written;
    private readonly bool[] _sampled;
    private readonly HostedModule[] _once;
    private readonly bool[] _modes;

    /// <param name="root">The model.</param>
    /// <param name="library">What it runs on.</param>
    internal HostedModel(object root, ModelLibrary library)
    {
        _library = library;
        _reader = ModuleReader.Of(library);
        Root = root;
        Modules = _reader.Read(root);
        _byPath = Modules.ToDictionary(module => module.Path);
        _state = Modules.SelectMany(module => module.State).ToDictionary(item => item.Name, item => item.Tensor);
        _once = [.. Modules.Where(module => module.Same is null)];
        _tensors = [.. _once.SelectMany(Named).DistinctBy(item => item.Tensor, ReferenceEqualityComparer.Instance)];
        _written = new (long, long)[_tensors.Length];
        _sampled = new bool[_tensors.Length];
        Array.Fill(_sampled, true);
        _modes = new bool[_once.Length];
        Note();
    }

    /// <summary>The model itself.</summary>
    internal object Root { get; }

    /// <summary>Its modules in PyTorch's order.</summary>
    internal IReadOnlyList<HostedModule> Modules { get; }

    /// <summary>How many bytes its parameters and buffers have.</summary>
    internal long Bytes { get; set; }

    /// <summary>Whether a module of it trains.</summary>
    internal bool Trains(HostedModule module) => _reader.Trains(module.Module);

    /// <summary>The parameters of a module's <c>forward</c>, and whether each may be left out; none of one that cannot be called.</summary>
    internal static IEnumerable<(string Name, bool Optional)> Parameters(HostedModule module)
    {
        ParameterInfo[] parameters;
        try
        {
            (_, parameters) = Callable(module.Module);
        }
        catch (NotSupportedException)
        {
            return [];
        }

        return parameters.Select(parameter => (parameter.Name!, parameter.HasDefaultValue));
    }

    /// <summary>Sets whether modules train, one after the other: what is below one follows it.</summary>
    /// <param name="modes">Pairs of a path and a truth value.</param>
    internal void Train(JsonElement modes)
    {
        foreach (var mode in modes.EnumerateArray()) _reader.Train(Module(mode[0].GetString()!).Module, mode[1].GetBoolean());
    }

    /// <summary>Overwrites the elements of parameters and buffers.</summary>
    /// <param name="state">Tensors by name.</param>
    /// <param name="incoming">Reads them.</param>
    /// <exception cref="ArgumentException">There is none of a name, or it has another type or shape.</exception>
    internal unsafe void Fill(JsonElement state, Incoming incoming)
    {
        foreach (var item in state.EnumerateObject())
        {
            var (dtype, shape, elements) = incoming.Elements(item.Value.GetProperty("tensor"));
            if (!_state.TryGetValue(item.Name, out var own)) throw new ArgumentException($"The model has no parameter or buffer '{item.Name}'.");
            try
            {
                _library.Tensors.Fill(own, dtype, shape, (byte*)elements);
            }
            catch (ArgumentException exception)
            {
                throw new ArgumentException($"'{item.Name}' cannot be written: {exception.Message}");
            }
        }
    }

    /// <summary>Takes parameters, buffers and modes as Python's: what is another one later, C# has changed.</summary>
    internal void Note()
    {
        for (var i = 0; i < _tensors.Length; i++) _written[i] = Writing(i);
        for (var i = 0; i < _once.Length; i++) _modes[i] = Trains(_once[i]);
    }

    /// <summary>The parameters and buffers that were written to since, or since this was asked last, under their first names.</summary>
    /// <param name="buffers">Whether to give all buffers, of which some are written to where libtorch does not count.</param>
    internal IEnumerable<(string Name, object Tensor)> Written(bool buffers)
    {
        for (var i = 0; i < _tensors.Length; i++)
        {
            var (name, tensor, buffer) = _tensors[i];
            var (before, now) = (_written[i], Writing(i));
            _written[i] = now;
            if ((buffers && buffer) || now != before) yield return (name, tensor);
        }
    }

    /// <summary>The modules that C# has set to train, or not to, since, or since this was asked last.</summary>
    internal IEnumerable<(string Path, bool Training)> Turned()
    {
        for (var i = 0; i < _once.Length; i++)
        {
            var training = Trains(_once[i]);
            if (training == _modes[i]) continue;
            _modes[i] = training;
            yield return (_once[i].Path, training);
        }
    }

    /// <summary>Calls a module of it, so that its hooks fire.</summary>
    /// <param name="path">Which one.</param>
    /// <param name="given">An array of arguments by position, and an object of those by name.</param>
    /// <param name="incoming">Reads them.</param>
    /// <exception cref="InvalidCastException">They are not what its <c>forward</c> takes.</exception>
    internal object? Call(string path, JsonElement given, Incoming incoming)
    {
        var module = Module(path).Module;
        if (!_calls.TryGetValue(module, out var callable)) _calls[module] = callable = Callable(module);
        return callable.Call.Invoke(module, BindingFlags.DoNotWrapExceptions, null, Arguments(callable.Parameters, given, incoming, module), null);
    }

    /// <summary>A module by its path.</summary>
    /// <exception cref="ArgumentException">There is none.</exception>
    internal HostedModule Module(string path) => _byPath.TryGetValue(path, out var found) ? found : throw new ArgumentException($"The model has no module '{path}'.");

    // What is another value after a write to a tensor.
    private (long Version, long Sample) Writing(int i)
    {
        var tensor = _tensors[i].Tensor;
        var sample = 0L;
        try
        {
            if (_sampled[i]) sample = _library.Tensors.Sample(tensor);
        }
        catch (Exception)
        {
            _sampled[i] = false; // on another device, or a view: its version tells
        }

        return (_library.Tensors.Version(tensor), sample);
    }

    private static IEnumerable<(string Name, object Tensor, bool Buffer)> Named(HostedModule module) =>
        module.Parameters.Select(item => (item, false)).Concat(module.Buffers.Select(item => (item, true)))
            .Select(pair => (module.Path.Length == 0 ? pair.item.Name : $"{module.Path}.{pair.item.Name}", pair.item.Tensor, pair.Item2));

    // The `call` of the base, which always fires hooks (rule 34); names and defaults are those of the user's `forward`.
    private static (MethodInfo, ParameterInfo[]) Callable(object module)
    {
        for (var type = module.GetType(); type is not null; type = type.BaseType)
        {
            if (!type.IsGenericType || !type.GetGenericTypeDefinition().FullName!.StartsWith("TorchSharp.torch+nn+Module`", StringComparison.Ordinal)) continue;
            var types = type.GetGenericArguments()[..^1];
            var call = type.GetMethod("call", types) ?? throw new MissingMethodException(type.FullName, "call");
            var forward = module.GetType().GetMethod("forward", types) ?? type.GetMethod("forward", types) ?? call;
            return (call, forward.GetParameters());
        }

        throw new NotSupportedException($"{module.GetType()} has no forward: it is called only by modules of its own.");
    }

    private static object?[] Arguments(ParameterInfo[] parameters, JsonElement given, Incoming incoming, object module)
    {
        var (positional, named) = (given[0], given[1]);
        if (positional.GetArrayLength() > parameters.Length)
            throw new InvalidCastException($"{module.GetType().Name}.forward takes {parameters.Length} arguments and {positional.GetArrayLength()} are given: types in .NET are fixed (F-2).");
        var values = new object?[parameters.Length];
        var used = 0;
        for (var i = 0; i < values.Length; i++)
        {
            var parameter = parameters[i];
            JsonElement value;
            if (i < positional.GetArrayLength())
            {
                value = positional[i];
            }
            else if (named.TryGetProperty(parameter.Name!, out value))
            {
                used++;
            }
            else if (parameter.HasDefaultValue)
            {
                values[i] = parameter is { DefaultValue: null, ParameterType.IsValueType: true } ? Activator.CreateInstance(parameter.ParameterType) : parameter.DefaultValue;
                continue;
            }
            else
            {
                throw new InvalidCastException($"{module.GetType().Name}.forward needs the argument '{parameter.Name}'.");
            }

            try
            {
                values[i] = incoming.Read(value, parameter.ParameterType);
            }
            catch (InvalidCastException exception)
            {
                throw new InvalidCastException($"{module.GetType().Name}.forward, '{parameter.Name}': {exception.Message}");
            }
        }

        if (used == named.EnumerateObject().Count()) return values;
        var unknown = named.EnumerateObject().First(item => !parameters.Skip(positional.GetArrayLength()).Any(parameter => parameter.Name == item.Name));
        throw new InvalidCastException($"{module.GetType().Name}.forward has no argument '{unknown.Name}', or it is given twice; it has {string.Join(", ", parameters.Select(parameter => parameter.Name))}.");
    }
}
