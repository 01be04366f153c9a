namespace Bridge.Torch;

/// <summary>
/// Marks a partial method whose generated body calls an operator of PyTorch (<c>aten::</c>) or one that this project registers in Python
/// (<c>bridge::</c>). docs/operators.md lists the operators.
/// </summary>
/// <param name="operator">The operator's overload, such as <c>aten::softmax.int</c>.</param>
/// <param name="mapping">
/// The values of the schema's arguments: <c>argument</c> for the parameter of the same name, or <c>argument=expression</c>. In an instance
/// method, <c>self</c> is the tensor itself. An unmapped parameter <c>requires_grad</c> is set on the result. If an unmapped parameter
/// <c>out</c> gets a tensor, the operator's out overload runs. Arguments not listed have the default of the running torch's schema.
/// </param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class AtenAttribute(string @operator, string mapping) : Attribute
{
    /// <summary>Gets the operator's overload.</summary>
    public string Operator => @operator;

    /// <summary>Gets the values of the schema's arguments.</summary>
    public string Mapping => mapping;
}
