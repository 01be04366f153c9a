using System.Text.Json;
using Bridge.Torch;

namespace Bridge.Host;

/// <summary>A model in this process: its modules by path, its parameters and buffers.</summary>
internal sealed class HostedModel
{
    private readonly ModelLibrary _library;
    private readonly ModuleReader _reader;
    private readonly Dictionary<string, HostedModule> _byPath;
    private readonly Dictionary<string, object> _state;
    private readonly (string Name, object Tensor, bool Buffer)[] _tensors;
    private readonly (long Version, long Sample)[] _stamps;
    private readonly bool[] _sampled;
    private readonly HostedModule[] _distinct;
    private readonly bool[] _training;

    /// <summary>Reads the modules of a model.</summary>
    /// <param name="root">The model.</param>
    /// <param name="library">The library that the model runs on.</param>
    internal HostedModel(object root, ModelLibrary library)
    {
        _library = library;
        _reader = ModuleReader.Create(library);
        Root = root;
        Modules = _reader.Read(root);
        _byPath = Modules.ToDictionary(module => module.Path);
        _state = Modules.SelectMany(module => module.State).ToDictionary(item => item.Name, item => item.Tensor);
        _distinct = [.. Modules.Where(module => module.FirstPath is null)];
        _tensors = [.. _distinct.SelectMany(QualifiedTensors).DistinctBy(item => item.Tensor, ReferenceEqualityComparer.Instance)];
        _stamps = new (long, long)[_tensors.Length];
        _sampled = new bool[_tensors.Length];
        Array.Fill(_sampled, true);
        _training = new bool[_distinct.Length];
        TakeSnapshot();
    }

    internal object Root { get; }

    /// <summary>Gets the modules in PyTorch's order.</summary>
    internal IReadOnlyList<HostedModule> Modules { get; }

    /// <summary>Gets or sets the size of all parameters and buffers in bytes.</summary>
    internal long Bytes { get; set; }

    internal bool IsTraining(HostedModule module) => _reader.IsTraining(module.Module);

    /// <summary>Sets the train mode of modules in order; the mode of a module applies to its descendants.</summary>
    /// <param name="modes">Pairs of a module path and a bool.</param>
    internal void SetTraining(JsonElement modes)
    {
        foreach (var mode in modes.EnumerateArray()) _reader.SetTraining(Module(mode[0].GetString()!).Module, mode[1].GetBoolean());
    }

    /// <summary>Overwrites the elements of parameters and buffers.</summary>
    /// <param name="state">Tensors by name.</param>
    /// <param name="decoder">Decodes the tensors.</param>
    /// <exception cref="ArgumentException">
    /// The model has no parameter or buffer of a given name, or has one with another element type or shape.
    /// </exception>
    /// <exception cref="NotSupportedException">The elements of a tensor cannot be sent.</exception>
    internal unsafe void SetState(JsonElement state, ValueDecoder decoder)
    {
        foreach (var item in state.EnumerateObject())
        {
            var (dtype, shape, elements) = decoder.ReadTensor(item.Value.GetProperty("tensor"));
            if (!_state.TryGetValue(item.Name, out var own))
                throw new ArgumentException($"The model has no parameter or buffer '{item.Name}'.");
            try
            {
                _library.Tensors.Overwrite(own, dtype, shape, (byte*)elements);
            }
            catch (ArgumentException exception)
            {
                throw new ArgumentException($"'{item.Name}' cannot be written: {exception.Message}");
            }
        }
    }

    /// <summary>Takes a snapshot, so that only later changes of parameters, buffers and train modes are reported.</summary>
    internal void TakeSnapshot()
    {
        for (var i = 0; i < _tensors.Length; i++) _stamps[i] = Stamp(i);
        for (var i = 0; i < _distinct.Length; i++) _training[i] = IsTraining(_distinct[i]);
    }

    /// <summary>
    /// Yields the parameters and buffers that changed since the snapshot or the last call of this method, each under its first name.
    /// </summary>
    /// <param name="buffers">Whether to yield every buffer, because some writes to a buffer do not change its version counter.</param>
    internal IEnumerable<(string Name, object Tensor)> ChangedTensors(bool buffers)
    {
        for (var i = 0; i < _tensors.Length; i++)
        {
            var (name, tensor, buffer) = _tensors[i];
            var (before, now) = (_stamps[i], Stamp(i));
            _stamps[i] = now;
            if ((buffers && buffer) || now != before) yield return (name, tensor);
        }
    }

    /// <summary>Yields the modules whose train mode changed since the snapshot or the last call of this method.</summary>
    internal IEnumerable<(string Path, bool Training)> ChangedModes()
    {
        for (var i = 0; i < _distinct.Length; i++)
        {
            var training = IsTraining(_distinct[i]);
            if (training == _training[i]) continue;
            _training[i] = training;
            yield return (_distinct[i].Path, training);
        }
    }

    /// <summary>
    /// Calls a module. Hooks run if <c>call</c> takes these arguments. Takes and returns plain values (see <see cref="Tuples"/>).
    /// </summary>
    /// <param name="path">The module's path.</param>
    /// <param name="given">The positional arguments.</param>
    /// <param name="named">The keyword arguments.</param>
    /// <param name="tracer">Records the call; null to record nothing.</param>
    /// <exception cref="ArgumentException">There is no module at this path.</exception>
    /// <exception cref="InvalidCastException">The arguments do not fit <c>forward</c>.</exception>
    /// <exception cref="NotSupportedException">The module cannot be called.</exception>
    internal object? CallModule(string path, object?[] given, DictOfValues named, CallTracer? tracer)
    {
        var module = Module(path);
        var call = HostedCall.Of(module.Module.GetType());
        if (tracer is not null && !call.RunsCall(given, named))
            return tracer.RunUncalled(module, given, () => call.Invoke(module.Module, given, named));
        if (named.Items.Length == 0) tracer?.Expect(module.Module, given);
        return call.Invoke(module.Module, given, named);
    }

    /// <summary>Returns the first path of a module; null for a module that is not of this model.</summary>
    internal string? PathOf(object module) => Array.Find(_distinct, known => ReferenceEquals(known.Module, module))?.Path;

    /// <summary>Returns the module at a path.</summary>
    /// <exception cref="ArgumentException">There is no such module.</exception>
    internal HostedModule Module(string path) =>
        _byPath.TryGetValue(path, out var found) ? found : throw new ArgumentException($"The model has no module '{path}'.");

    // Returns the version of a tensor and a hash of some of its elements. Nearly every write changes one of them.
    private (long Version, long Sample) Stamp(int i)
    {
        var tensor = _tensors[i].Tensor;
        var sample = 0L;
        try
        {
            if (_sampled[i]) sample = _library.Tensors.Sample(tensor);
        }
        catch (Exception)
        {
            _sampled[i] = false; // The tensor is not contiguous in CPU memory: only its version shows writes.
        }

        return (_library.Tensors.Version(tensor), sample);
    }

    private static IEnumerable<(string Name, object Tensor, bool Buffer)> QualifiedTensors(HostedModule module) =>
        module.Parameters.Select(item => (item, false)).Concat(module.Buffers.Select(item => (item, true)))
            .Select(pair => (module.Path.Length == 0 ? pair.item.Name : $"{module.Path}.{pair.item.Name}", pair.item.Tensor, pair.Item2));
}
