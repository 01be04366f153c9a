extern alias real;

using System.Reflection;
using Bridge.Interop;
using Abi = Bridge.Torch.Native.Abi;
using BufferDictionary = real::TorchSharp.Utils.OrderedDict<string, (real::TorchSharp.torch.Tensor buffer, bool persist)>;
using ParameterDictionary = real::TorchSharp.Utils.OrderedDict<string, real::TorchSharp.Modules.Parameter>;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>The kinds of tensors that a module registers.</summary>
internal enum TensorKind
{
    /// <summary>A parameter.</summary>
    Parameter,

    /// <summary>A buffer that the state_dict has.</summary>
    Buffer,

    /// <summary>A buffer that the state_dict lacks.</summary>
    NonPersistentBuffer,
}

/// <summary>A parameter or buffer of a module.</summary>
/// <param name="Name">The name, without the module's path.</param>
/// <param name="Tensor">The C# tensor.</param>
/// <param name="Kind">The kind.</param>
internal sealed record ModuleTensor(string Name, torch.Tensor Tensor, TensorKind Kind);

/// <summary>The parameters and buffers that a module itself registers, as they were last read.</summary>
internal sealed unsafe class ModuleTensors
{
    private static readonly FieldInfo Parameters = Field(typeof(torch.nn.Module), "_internal_params");
    private static readonly FieldInfo Buffers = Field(typeof(torch.nn.Module), "_internal_buffers");
    private static readonly FieldInfo Handle = Field(typeof(torch.Tensor), "handle");

    private readonly torch.nn.Module _module;
    private readonly ParameterDictionary _parameters;
    private readonly BufferDictionary _buffers;
    private ModuleTensor[] _known;

    internal ModuleTensors(torch.nn.Module module)
    {
        _module = module;
        _parameters = (ParameterDictionary)Parameters.GetValue(module)!;
        _buffers = (BufferDictionary)Buffers.GetValue(module)!;
        _known = Read();
    }

    /// <summary>Gets the tensors: the parameters first.</summary>
    internal IReadOnlyList<ModuleTensor> Known => _known;

    /// <summary>If C# has registered other tensors since the last read, reads the tensors again and returns true.</summary>
    internal bool Refresh()
    {
        if (IsCurrent()) return false;
        _known = Read();
        return true;
    }

    /// <summary>Makes a C# tensor refer to another Python tensor. Returns the old handle, to be freed when no call uses it.</summary>
    /// <exception cref="NotSupportedException">Native code of TorchSharp keeps the tensor.</exception>
    internal IntPtr Bind(int place, BorrowedReference tensor)
    {
        var (name, own, _) = _known[place];
        if (IsNative(own))
        {
            throw new NotSupportedException(
                $"'{name}' of {_module.GetType().Name} was replaced in Python, but TorchSharp's native code keeps the old tensor: "
                + "write its elements instead (copy_, load_state_dict).");
        }

        var impl = Python.TensorImplOf(tensor);
        var old = own.Handle;
        Handle.SetValue(own, Abi.NewHandle((IntPtr)(&impl)));
        return old;
    }

    // Some of TorchSharp's own classes, such as LSTM and Embedding, run a module of libtorch, which has the tensors itself. The others read
    // their tensors from fields.
    private bool IsNative(torch.Tensor tensor)
    {
        const BindingFlags own = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly;
        if (_module.GetType().Assembly != typeof(torch).Assembly || !HookedModule.IsCallable(_module.GetType())) return false;
        for (var type = _module.GetType(); type is not null; type = type.BaseType)
            if (type.GetFields(own).Any(field => ReferenceEquals(field.GetValue(_module), tensor))) return false;
        return true;
    }

    private ModuleTensor[] Read()
    {
        var persistent = _module.named_buffers(recurse: false, include_nonpersistent: false).Select(item => item.name).ToHashSet();
        return [
            .. _module.named_parameters(recurse: false).Select(item => new ModuleTensor(item.name, item.parameter, TensorKind.Parameter)),
            .. _module.named_buffers(recurse: false).Select(item => new ModuleTensor(
                item.name, item.buffer, persistent.Contains(item.name) ? TensorKind.Buffer : TensorKind.NonPersistentBuffer)),
        ];
    }

    private bool IsCurrent()
    {
        if (_parameters.Count + _buffers.Count != _known.Length) return false;
        for (var i = 0; i < _parameters.Count; i++)
            if (!ReferenceEquals(_parameters[i].Item2, _known[i].Tensor)) return false;
        for (var i = 0; i < _buffers.Count; i++)
            if (!ReferenceEquals(_buffers[i].Item2.buffer, _known[_parameters.Count + i].Tensor)) return false;
        return true;
    }

    private static FieldInfo Field(Type type, string name) =>
        type.GetField(name, BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public)
            ?? throw new MissingFieldException(type.FullName, name);
}
