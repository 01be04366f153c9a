using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Reads which members of TorchSharp's types an assembly refers to: what a compiler bound its calls to.</summary>
internal static class Calls
{
    /// <summary>Yields type, member and signature of each, separated by tabs.</summary>
    /// <param name="path">An assembly that was compiled against TorchSharp or Bridge.Torch.</param>
    internal static IEnumerable<string> Lines(string path)
    {
        using var file = new PEReader(new MemoryStream(File.ReadAllBytes(path)));
        var reader = file.GetMetadataReader();
        foreach (var handle in reader.MemberReferences)
        {
            var member = reader.GetMemberReference(handle);
            var type = member.Parent.Kind switch
            {
                HandleKind.TypeReference => SignatureText.Name(reader, (TypeReferenceHandle)member.Parent),
                HandleKind.TypeSpecification =>
                    SignatureText.Instance.GetTypeFromSpecification(reader, null, (TypeSpecificationHandle)member.Parent, 0),
                _ => "",
            };
            if (!type.StartsWith("TorchSharp.", StringComparison.Ordinal) && !type.StartsWith("Bridge.", StringComparison.Ordinal))
                continue;
            var signature = member.GetKind() == MemberReferenceKind.Field
                ? member.DecodeFieldSignature(SignatureText.Instance, null)
                : SignatureText.Format(member.DecodeMethodSignature(SignatureText.Instance, null));
            yield return $"{type}\t{reader.GetString(member.Name)}\t{signature}";
        }
    }
}
