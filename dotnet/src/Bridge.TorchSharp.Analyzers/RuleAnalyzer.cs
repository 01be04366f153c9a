namespace Bridge.TorchSharp.Analyzers;

/// <summary>Serves as the base of the analyzers, which run at the same time and leave generated code out.</summary>
internal abstract class RuleAnalyzer(params DiagnosticDescriptor[] rules) : DiagnosticAnalyzer
{
    public sealed override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(rules);

    public sealed override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        Register(context);
    }

    /// <summary>Registers the actions that report the rules.</summary>
    protected abstract void Register(AnalysisContext context);
}
