// The classes of TorchSharp's namespace Tensorboard whose nested classes an editor imports by accident, as in
// `using static Tensorboard.TensorShapeProto.Types;`, and those that signatures name. They are empty: such a line compiles, but code that
// uses their members does not.
namespace Tensorboard;

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class ApiDef
{
    private ApiDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class AttrValue
{
    private AttrValue() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class CodeDef
{
    private CodeDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class CollectionDef
{
    private CollectionDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class ConfigProto
{
    private ConfigProto() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class CostGraphDef
{
    private CostGraphDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class CppShapeInferenceResult
{
    private CppShapeInferenceResult() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class FunctionDef
{
    private FunctionDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class FunctionSpec
{
    private FunctionSpec() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class GPUOptions
{
    private GPUOptions() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without its members.</summary>
public sealed class HistogramProto
{
    private HistogramProto() { }
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
[Obsolete("TensorBoard does not write it any more.")]
public sealed class LogMessage
{
    private LogMessage() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class MetaGraphDef
{
    private MetaGraphDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class NodeDef
{
    private NodeDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class OpDef
{
    private OpDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class OptimizerOptions
{
    private OptimizerOptions() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class ResourceHandleProto
{
    private ResourceHandleProto() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class RewriterConfig
{
    private RewriterConfig() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class RunMetadata
{
    private RunMetadata() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class RunOptions
{
    private RunOptions() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class SaverDef
{
    private SaverDef() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class SessionLog
{
    private SessionLog() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class Summary
{
    private Summary() { }

    /// <summary>Holds the nested message that a signature names; the others are left out.</summary>
    public static class Types
    {
        /// <summary>Part of TorchSharp's protocol buffers, without its members.</summary>
        public sealed class Image
        {
            private Image() { }
        }
    }
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class SummaryMetadata
{
    private SummaryMetadata() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class TensorInfo
{
    private TensorInfo() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class TensorShapeProto
{
    private TensorShapeProto() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class TrackableObjectGraph
{
    private TrackableObjectGraph() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class TypeSpecProto
{
    private TypeSpecProto() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}

/// <summary>Part of TorchSharp's protocol buffers, without their members.</summary>
public sealed class VerifierConfig
{
    private VerifierConfig() { }

    /// <summary>Holds no nested messages: they are left out.</summary>
    public static class Types;
}
