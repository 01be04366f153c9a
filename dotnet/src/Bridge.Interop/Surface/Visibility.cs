using System.Reflection;
using System.Reflection.Metadata;

namespace Bridge.Interop.Surface;

/// <summary>Tells from an assembly's metadata which of its types and members other assemblies can use or override.</summary>
internal static class Visibility
{
    internal static bool IsVisible(MethodAttributes access) =>
        access is MethodAttributes.Public or MethodAttributes.Family or MethodAttributes.FamORAssem;

    internal static bool IsVisible(MetadataReader reader, TypeDefinitionHandle handle)
    {
        var type = reader.GetTypeDefinition(handle);
        return (type.Attributes & TypeAttributes.VisibilityMask) switch
        {
            TypeAttributes.Public => true,
            TypeAttributes.NestedPublic or TypeAttributes.NestedFamily or TypeAttributes.NestedFamORAssem =>
                IsVisible(reader, type.GetDeclaringType()),
            _ => false,
        };
    }
}
