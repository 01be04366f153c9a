namespace TorchSharp;

/// <summary>A display of progress.</summary>
public interface IProgressBar : IDisposable
{
    /// <summary>Gets or sets the amount that is done, such as bytes.</summary>
    long Value { get; set; }

    /// <summary>Gets or sets the total amount; null if it is unknown.</summary>
    long? Maximum { get; set; }
}
