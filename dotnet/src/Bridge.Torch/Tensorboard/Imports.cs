// The classes of TorchSharp's namespace Tensorboard whose nested classes an editor imports by accident, as in
// `using static Tensorboard.TensorShapeProto.Types;`, and those that signatures name. They are empty: such a line compiles, but code that
// uses their members does not.
namespace Tensorboard;

/// <summary>Stands for TorchSharp's message ApiDef, without its members, so that code that names it compiles.</summary>
public sealed class ApiDef
{
    private ApiDef() { }

    /// <summary>Holds no nested messages of ApiDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message AttrValue, without its members, so that code that names it compiles.</summary>
public sealed class AttrValue
{
    private AttrValue() { }

    /// <summary>Holds no nested messages of AttrValue: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message CodeDef, without its members, so that code that names it compiles.</summary>
public sealed class CodeDef
{
    private CodeDef() { }

    /// <summary>Holds no nested messages of CodeDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message CollectionDef, without its members, so that code that names it compiles.</summary>
public sealed class CollectionDef
{
    private CollectionDef() { }

    /// <summary>Holds no nested messages of CollectionDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message ConfigProto, without its members, so that code that names it compiles.</summary>
public sealed class ConfigProto
{
    private ConfigProto() { }

    /// <summary>Holds no nested messages of ConfigProto: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message CostGraphDef, without its members, so that code that names it compiles.</summary>
public sealed class CostGraphDef
{
    private CostGraphDef() { }

    /// <summary>Holds no nested messages of CostGraphDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message CppShapeInferenceResult, without its members, so that code that names it compiles.</summary>
public sealed class CppShapeInferenceResult
{
    private CppShapeInferenceResult() { }

    /// <summary>Holds no nested messages of CppShapeInferenceResult: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message FunctionDef, without its members, so that code that names it compiles.</summary>
public sealed class FunctionDef
{
    private FunctionDef() { }

    /// <summary>Holds no nested messages of FunctionDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message FunctionSpec, without its members, so that code that names it compiles.</summary>
public sealed class FunctionSpec
{
    private FunctionSpec() { }

    /// <summary>Holds no nested messages of FunctionSpec: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message GPUOptions, without its members, so that code that names it compiles.</summary>
public sealed class GPUOptions
{
    private GPUOptions() { }

    /// <summary>Holds no nested messages of GPUOptions: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message HistogramProto, without its members, so that code that names it compiles.</summary>
public sealed class HistogramProto
{
    private HistogramProto() { }
}

/// <summary>Stands for TorchSharp's message LogMessage, without its members, so that code that names it compiles.</summary>
[Obsolete("TensorBoard does not write it any more.")]
public sealed class LogMessage
{
    private LogMessage() { }

    /// <summary>Holds no nested messages of LogMessage: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message MetaGraphDef, without its members, so that code that names it compiles.</summary>
public sealed class MetaGraphDef
{
    private MetaGraphDef() { }

    /// <summary>Holds no nested messages of MetaGraphDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message NodeDef, without its members, so that code that names it compiles.</summary>
public sealed class NodeDef
{
    private NodeDef() { }

    /// <summary>Holds no nested messages of NodeDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message OpDef, without its members, so that code that names it compiles.</summary>
public sealed class OpDef
{
    private OpDef() { }

    /// <summary>Holds no nested messages of OpDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message OptimizerOptions, without its members, so that code that names it compiles.</summary>
public sealed class OptimizerOptions
{
    private OptimizerOptions() { }

    /// <summary>Holds no nested messages of OptimizerOptions: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message ResourceHandleProto, without its members, so that code that names it compiles.</summary>
public sealed class ResourceHandleProto
{
    private ResourceHandleProto() { }

    /// <summary>Holds no nested messages of ResourceHandleProto: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message RewriterConfig, without its members, so that code that names it compiles.</summary>
public sealed class RewriterConfig
{
    private RewriterConfig() { }

    /// <summary>Holds no nested messages of RewriterConfig: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message RunMetadata, without its members, so that code that names it compiles.</summary>
public sealed class RunMetadata
{
    private RunMetadata() { }

    /// <summary>Holds no nested messages of RunMetadata: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message RunOptions, without its members, so that code that names it compiles.</summary>
public sealed class RunOptions
{
    private RunOptions() { }

    /// <summary>Holds no nested messages of RunOptions: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message SaverDef, without its members, so that code that names it compiles.</summary>
public sealed class SaverDef
{
    private SaverDef() { }

    /// <summary>Holds no nested messages of SaverDef: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message SessionLog, without its members, so that code that names it compiles.</summary>
public sealed class SessionLog
{
    private SessionLog() { }

    /// <summary>Holds no nested messages of SessionLog: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message Summary, without its members, so that code that names it compiles.</summary>
public sealed class Summary
{
    private Summary() { }

    /// <summary>Holds the nested message of Summary that a signature names; the others are left out.</summary>
    public static class Types
    {
        /// <summary>Stands for TorchSharp's message Summary.Image, without its members, so that code that names it compiles.</summary>
        public sealed class Image
        {
            private Image() { }
        }
    }
}

/// <summary>Stands for TorchSharp's message SummaryMetadata, without its members, so that code that names it compiles.</summary>
public sealed class SummaryMetadata
{
    private SummaryMetadata() { }

    /// <summary>Holds no nested messages of SummaryMetadata: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message TensorInfo, without its members, so that code that names it compiles.</summary>
public sealed class TensorInfo
{
    private TensorInfo() { }

    /// <summary>Holds no nested messages of TensorInfo: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message TensorShapeProto, without its members, so that code that names it compiles.</summary>
public sealed class TensorShapeProto
{
    private TensorShapeProto() { }

    /// <summary>Holds no nested messages of TensorShapeProto: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message TrackableObjectGraph, without its members, so that code that names it compiles.</summary>
public sealed class TrackableObjectGraph
{
    private TrackableObjectGraph() { }

    /// <summary>Holds no nested messages of TrackableObjectGraph: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message TypeSpecProto, without its members, so that code that names it compiles.</summary>
public sealed class TypeSpecProto
{
    private TypeSpecProto() { }

    /// <summary>Holds no nested messages of TypeSpecProto: they are left out.</summary>
    public static class Types;
}

/// <summary>Stands for TorchSharp's message VerifierConfig, without its members, so that code that names it compiles.</summary>
public sealed class VerifierConfig
{
    private VerifierConfig() { }

    /// <summary>Holds no nested messages of VerifierConfig: they are left out.</summary>
    public static class Types;
}
