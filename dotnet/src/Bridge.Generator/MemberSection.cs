using System;
using System.Collections.Generic;
using System.Linq;

namespace Bridge.Generator;

/// <summary>
/// A line such as <c>[torch.special]</c> in a table of members. It names a class of TorchSharp. The rows below it are members of the class;
/// below <c>[torch]</c>, they can be members of Tensor too.
/// </summary>
/// <remarks>
/// The line has up to three other cells:
/// <list type="number">
/// <item>The prefix of the names of the class's operators, such as <c>special_</c>.</item>
/// <item>The prefix of the addresses of PyTorch's pages about the members, such as <c>special.html#torch.special.</c>.</item>
/// <item>For all rows below, the parameters that are not simply passed under their names, such as <c>self=input</c>.</item>
/// </list>
/// <see cref="MemberTable"/> explains places, such as <c>T</c> for a member of Tensor.
/// </remarks>
internal sealed class MemberSection
{
    private readonly string _type;
    private readonly ILookup<string, ListedMethod> _methods;
    private readonly ILookup<string, ListedMethod>? _members;

    internal MemberSection(string[] cells, string list)
    {
        string Cell(int at) => at < cells.Length ? cells[at].Trim() : "";
        _type = Cell(0).Trim('[', ']');
        (OperatorPrefix, PagePrefix) = (Cell(1), Cell(2));
        Arguments = [.. Cell(3).Split([' '], StringSplitOptions.RemoveEmptyEntries).Select(cell => new MemberArgument(cell))];
        _methods = Listed.Methods(list, "TorchSharp." + _type.Replace('.', '/'));
        if (_type == "torch") _members = Listed.Methods(list, "TorchSharp.torch/Tensor");
    }

    /// <summary>Gets the class's name: <c>special</c>.</summary>
    internal string Name => _type.Substring(_type.LastIndexOf('.') + 1);

    internal string OperatorPrefix { get; }

    internal string PagePrefix { get; }

    internal List<MemberArgument> Arguments { get; }

    /// <summary>Returns the namespace and the declarations of the classes around a member, a line each.</summary>
    internal string Class(string place) =>
        "TorchSharp" + string.Concat((_type + (IsMember(place) ? ".Tensor" : "")).Split('.').Select(name => "\npartial class " + name));

    /// <summary>Returns the listed methods of a place, by name.</summary>
    internal ILookup<string, ListedMethod> Methods(string place)
    {
        var isMember = IsMember(place);
        if (isMember && _members is null) throw new FormatException($"[{_type}]: only [torch] has rows of Tensor's members");
        return (isMember ? _members! : _methods).SelectMany(group => group).Where(method => method.IsStatic != isMember)
            .ToLookup(method => method.Name);
    }

    private static bool IsMember(string place) => place[0] == 'T';
}
