using TorchSharp;

namespace Bridge.Torch;

/// <summary>A progress line on standard error, rewritten at each percent, or at each MiB if the size is unknown.</summary>
internal sealed class ConsoleProgressBar(bool hidden) : IProgressBar
{
    private const int Width = 40;
    private long _value;
    private long? _maximum;
    private long _shownStep = -1;

    public long Value
    {
        get => _value;
        set
        {
            _value = _maximum is { } maximum ? Math.Min(value, maximum) : value;
            Show();
        }
    }

    public long? Maximum
    {
        get => _maximum;
        set
        {
            _maximum = value;
            Value = _value;
        }
    }

    public void Dispose()
    {
        if (!hidden && _shownStep >= 0) Console.Error.WriteLine();
    }

    private void Show()
    {
        if (hidden) return;
        var step = _maximum is > 0 and { } all ? 100 * _value / all : _value >> 20;
        if (step == _shownStep) return;
        _shownStep = step;
        if (_maximum is not > 0)
        {
            Console.Error.Write($"\r{_value >> 20} MiB");
            return;
        }

        var done = (int)(step * Width / 100);
        Console.Error.Write($"\r{step,3}%[{new string('=', done)}{new string(' ', Width - done)}] {_value}/{_maximum}");
    }
}
