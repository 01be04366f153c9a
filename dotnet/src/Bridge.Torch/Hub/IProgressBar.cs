namespace TorchSharp;

/// <summary>Shows how much of something was done.</summary>
public interface IProgressBar : IDisposable
{
    /// <summary>What was done.</summary>
    long Value { get; set; }

    /// <summary>All of it; null where that is not known.</summary>
    long? Maximum { get; set; }
}
