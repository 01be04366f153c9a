using Bridge.Torch;

namespace Bridge.Conformance.Modules;

/// <summary>Copies of a module share the node and the recorder of the original (I-1).</summary>
public sealed partial class ProgramNode : IShared;
