using Bridge.Torch;

namespace Bridge.Conformance.Modules;

/// <summary>Copies of a module have the node and the recorder of the original (I-1).</summary>
public sealed partial class Part : IShared;
