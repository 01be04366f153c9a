using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Finds the public members of a TorchSharp.dll whose code reaches certain functions of its native library.</summary>
/// <remarks>
/// A call of a virtual method counts as a call of that method, not of its overrides. Therefore, a constructor counts as a caller of its
/// class's <c>forward</c>, which <c>Module.call</c> runs, and, of the compiler's classes for lambdas and iterators, of all methods.
/// </remarks>
internal sealed class NativeCalls : IDisposable
{
    private readonly PEReader _image;
    private readonly MetadataReader _reader;
    private readonly Dictionary<(int Type, string Name), List<MethodDefinitionHandle>> _named = [];
    private readonly Dictionary<MethodDefinitionHandle, HashSet<MethodDefinitionHandle>> _callers = [];

    internal NativeCalls(string path)
    {
        _image = new(new MemoryStream(File.ReadAllBytes(path)));
        _reader = _image.GetMetadataReader();
        foreach (var handle in _reader.MethodDefinitions)
        {
            var method = _reader.GetMethodDefinition(handle);
            var key = (MetadataTokens.GetToken(method.GetDeclaringType()), _reader.GetString(method.Name));
            if (!_named.TryGetValue(key, out var same)) _named[key] = same = [];
            same.Add(handle);
        }

        foreach (var handle in _reader.MethodDefinitions)
        {
            foreach (var called in Called(handle))
            {
                if (!_callers.TryGetValue(called, out var callers)) _callers[called] = callers = [];
                callers.Add(handle);
            }
        }
    }

    /// <summary>Yields a line for each visible member: a name such as <c>torch.Tensor.add</c>, a tab, and its functions.</summary>
    internal IEnumerable<string> Lines(IReadOnlyCollection<string> functions)
    {
        SortedDictionary<string, SortedSet<string>> found = new(StringComparer.Ordinal);
        foreach (var handle in _reader.MethodDefinitions)
        {
            if (Import(handle) is not { } function || !functions.Contains(function)) continue;
            foreach (var member in Callers(handle).Where(IsVisible).Select(Name))
            {
                if (!found.TryGetValue(member, out var reached)) found[member] = reached = new(StringComparer.Ordinal);
                reached.Add(function);
            }
        }

        return found.Select(item => $"{item.Key}\t{string.Join(' ', item.Value)}");
    }

    public void Dispose() => _image.Dispose();

    private HashSet<MethodDefinitionHandle> Callers(MethodDefinitionHandle called)
    {
        HashSet<MethodDefinitionHandle> seen = [called];
        Queue<MethodDefinitionHandle> pending = new(seen);
        while (pending.TryDequeue(out var next))
            foreach (var caller in _callers.GetValueOrDefault(next) ?? [])
                if (seen.Add(caller)) pending.Enqueue(caller);
        return seen;
    }

    private IEnumerable<MethodDefinitionHandle> Called(MethodDefinitionHandle handle)
    {
        var address = _reader.GetMethodDefinition(handle).RelativeVirtualAddress;
        if (address == 0) yield break;
        List<int> tokens = [];
        InstructionTokens.Add(_image.GetMethodBody(address), tokens);
        foreach (var token in tokens.Distinct())
        {
            foreach (var method in Definitions(MetadataTokens.EntityHandle(token)))
            {
                yield return method;
                foreach (var other in RunByOthers(_reader.GetMethodDefinition(method))) yield return other;
            }
        }
    }

    private IEnumerable<MethodDefinitionHandle> RunByOthers(MethodDefinition method)
    {
        if (_reader.GetString(method.Name) != ".ctor") return [];
        var type = method.GetDeclaringType();
        var definition = _reader.GetTypeDefinition(type);
        return _reader.GetString(definition.Name).StartsWith('<') ? definition.GetMethods()
            : _named.GetValueOrDefault((MetadataTokens.GetToken(type), "forward")) ?? [];
    }

    // A method of a generic instance is a member reference, also in the assembly that defines it.
    private IEnumerable<MethodDefinitionHandle> Definitions(EntityHandle handle)
    {
        if (handle.Kind == HandleKind.MethodSpecification)
            handle = _reader.GetMethodSpecification((MethodSpecificationHandle)handle).Method;
        if (handle.Kind == HandleKind.MethodDefinition) return [(MethodDefinitionHandle)handle];
        if (handle.Kind != HandleKind.MemberReference) return [];
        var member = _reader.GetMemberReference((MemberReferenceHandle)handle);
        if (member.GetKind() != MemberReferenceKind.Method || TypeHandles.Collect(_reader, member.Parent) is not [var type, ..]) return [];
        var signature = SignatureText.Format(member.DecodeMethodSignature(SignatureText.Instance, null));
        return (_named.GetValueOrDefault((type, _reader.GetString(member.Name))) ?? []).Where(method =>
            SignatureText.Format(_reader.GetMethodDefinition(method).DecodeSignature(SignatureText.Instance, null)) == signature);
    }

    private string? Import(MethodDefinitionHandle handle)
    {
        var method = _reader.GetMethodDefinition(handle);
        return method.Attributes.HasFlag(MethodAttributes.PinvokeImpl) ? _reader.GetString(method.GetImport().Name) : null;
    }

    private string Name(MethodDefinitionHandle handle)
    {
        var method = _reader.GetMethodDefinition(handle);
        var name = _reader.GetString(method.Name);
        var isAccessor = method.Attributes.HasFlag(MethodAttributes.SpecialName) && name.Length > 4 && name[..4] is "get_" or "set_";
        if (isAccessor) name = name[4..];
        return CSharpText.Member(SignatureText.Name(_reader, method.GetDeclaringType()), name);
    }

    private bool IsVisible(MethodDefinitionHandle handle)
    {
        var method = _reader.GetMethodDefinition(handle);
        return Visibility.IsVisible(method.Attributes & MethodAttributes.MemberAccessMask)
            && Visibility.IsVisible(_reader, method.GetDeclaringType());
    }
}
