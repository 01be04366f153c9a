namespace Bridge.Torch;

/// <summary>
/// A marker of an optimizer: its constructors, and its classes of settings, state and groups, are generated from TorchSharp's list.
/// </summary>
/// <param name="options">The settings of a group, except the learning rate, in the order of TorchSharp's files.</param>
/// <param name="state">
/// The values that the optimizer keeps for a parameter, in the order of TorchSharp's files. A tensor with <c>?</c> may be null.
/// </param>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class OptimizerAttribute(string options, string state) : Attribute
{
    /// <summary>Gets the settings, in order.</summary>
    public string Options => options;

    /// <summary>Gets the values that are kept for a parameter, in order.</summary>
    public string State => state;
}
