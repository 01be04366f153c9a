namespace Bridge.Torch;

/// <summary>
/// A row of the operator table: the partial method that has it is TorchSharp's member, and its body is generated.
/// </summary>
/// <param name="operator">The dispatcher's overload, <c>aten::softmax.int</c>.</param>
/// <param name="mapping">
/// Which arguments of the schema are filled with what: <c>argument</c> for the parameter of the same name, or <c>argument=expression</c>;
/// <c>self</c> in an instance method is the tensor itself, and a parameter <c>requires_grad</c> that nothing takes is set on the result;
/// with a parameter <c>out</c> that nothing takes, the operator's overload for it runs where a tensor is given. Everything else takes the
/// default of the running torch's schema.
/// </param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class AtenAttribute(string @operator, string mapping) : Attribute
{
    /// <summary>The dispatcher's overload.</summary>
    public string Operator => @operator;

    /// <summary>How its arguments are filled.</summary>
    public string Mapping => mapping;

    /// <summary>Whether overloads are written that take one to four numbers in place of the list <c>size</c>.</summary>
    public bool Sizes { get; set; }
}
