using Bridge.Torch;

namespace Bridge.Conformance.Modules;

/// <summary>A deep copy of a module shares the original's node, and thereby its recorder (I-1).</summary>
public sealed partial class ProgramNode : IShared;
