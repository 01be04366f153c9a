using System.Reflection;
using System.Reflection.Metadata;

namespace TorchSharp.Reference;

/// <summary>Writes flags as the list does: words, separated by blanks; null where there are none.</summary>
internal static class ListedFlags
{
    internal static string? Type(TypeAttributes flags) => Words(
        (flags & TypeAttributes.VisibilityMask) switch
        {
            TypeAttributes.Public or TypeAttributes.NestedPublic => "public",
            TypeAttributes.NestedFamily => "protected",
            TypeAttributes.NestedFamORAssem => "protected internal",
            TypeAttributes.NotPublic or TypeAttributes.NestedAssembly => "internal",
            _ => "private",
        },
        (flags.HasFlag(TypeAttributes.Abstract), "abstract"),
        (flags.HasFlag(TypeAttributes.Sealed), "sealed"),
        ((flags & TypeAttributes.LayoutMask) == TypeAttributes.SequentialLayout, "sequential"),
        (flags.HasFlag(TypeAttributes.BeforeFieldInit), "beforefieldinit"));

    internal static string? Field(FieldAttributes flags) => Words(
        Access((MethodAttributes)(flags & FieldAttributes.FieldAccessMask)),
        (flags.HasFlag(FieldAttributes.Static), "static"),
        (flags.HasFlag(FieldAttributes.Literal), "literal"),
        (flags.HasFlag(FieldAttributes.InitOnly), "initonly"),
        (flags.HasFlag(FieldAttributes.SpecialName), "specialname"),
        (flags.HasFlag(FieldAttributes.RTSpecialName), "rtspecialname"));

    internal static string? Method(MethodDefinition method)
    {
        var flags = method.Attributes;
        return Words(
            Access(flags & MethodAttributes.MemberAccessMask),
            (!flags.HasFlag(MethodAttributes.HideBySig) && !flags.HasFlag(MethodAttributes.RTSpecialName), "hidebyname"),
            (flags.HasFlag(MethodAttributes.Static), "static"),
            (flags.HasFlag(MethodAttributes.Final), "final"),
            (flags.HasFlag(MethodAttributes.Virtual), "virtual"),
            (flags.HasFlag(MethodAttributes.Abstract), "abstract"),
            (flags.HasFlag(MethodAttributes.NewSlot), "newslot"),
            (flags.HasFlag(MethodAttributes.CheckAccessOnOverride), "strict"),
            (flags.HasFlag(MethodAttributes.SpecialName), "specialname"),
            (flags.HasFlag(MethodAttributes.RTSpecialName), "rtspecialname"),
            (method.ImplAttributes.HasFlag(MethodImplAttributes.Runtime), "runtime"));
    }

    internal static string? Parameter(ParameterAttributes flags, bool hasDefault) => Words(
        "",
        (flags.HasFlag(ParameterAttributes.In), "in"),
        (flags.HasFlag(ParameterAttributes.Out), "out"),
        (flags.HasFlag(ParameterAttributes.Optional) && !hasDefault, "opt"));

    internal static string? Variance(GenericParameterAttributes flags) => (flags & GenericParameterAttributes.VarianceMask) switch
    {
        GenericParameterAttributes.Covariant => "out",
        GenericParameterAttributes.Contravariant => "in",
        _ => null,
    };

    internal static string? Constraints(GenericParameterAttributes flags) => Words(
        "",
        (flags.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint), "class"),
        (flags.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint), "struct"),
        (flags.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint), "new"));

    private static string Access(MethodAttributes access) => access switch
    {
        MethodAttributes.Public => "",
        MethodAttributes.Family => "protected",
        MethodAttributes.FamORAssem => "protected internal",
        MethodAttributes.FamANDAssem => "private protected",
        MethodAttributes.Assembly => "internal",
        _ => "private",
    };

    private static string? Words(string first, params (bool Holds, string Word)[] others)
    {
        var words = others.Where(other => other.Holds).Select(other => other.Word);
        var text = string.Join(" ", first.Length > 0 ? words.Prepend(first) : words);
        return text.Length > 0 ? text : null;
    }
}
