using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Vision;

/// <summary>Changes the colors of pictures by the formulas of torchvision.transforms.functional.</summary>
internal static class Colors
{
    /// <summary>Rotates the hue of pictures [..., 3, H, W] by a part of the color circle.</summary>
    /// <remarks>As in TorchSharp, integers of any type have the range 0 to 255, and their results are rounded down.</remarks>
    internal static Tensor AdjustHue(Tensor image, double change)
    {
        if (!image.is_floating_point()) return (AdjustHue(image.to_type(ScalarType.Float32) / 255, change) * 255).to_type(image.dtype);
        var (hue, saturation, value) = ToHsv(image);
        return ToRgb((hue + change).remainder(1), saturation, value);
    }

    /// <summary>Spreads the values of a channel, 0 to 255, so that equal intervals have about equally many pixels.</summary>
    internal static Tensor Equalize(Tensor channel)
    {
        var counts = channel.is_cuda
            ? channel.to_type(ScalarType.Float32).histc(256, 0, 255) : channel.reshape(-1).bincount(null, 256);
        var used = counts[counts != 0];
        var step = used[..^1].sum().div(255, RoundingMode.floor);
        if (step.count_nonzero().item<long>() == 0) return channel;
        var table = (counts.cumsum(0) + step.div(2, RoundingMode.floor)).div(step, RoundingMode.floor);
        table = cat([zeros_like(table[..1]), table[..^1]]).clamp(0, 255);
        return table[channel.to_type(ScalarType.Int64)].to_type(ScalarType.Byte);
    }

    private static (Tensor Hue, Tensor Saturation, Tensor Value) ToHsv(Tensor image)
    {
        var colors = image.unbind(-3);
        var (red, green, blue) = (colors[0], colors[1], colors[2]);
        var (least, value) = (image.amin([-3]), image.amax([-3]));
        var (isGray, range, one) = (value == least, value - least, ones_like(value));
        var divisor = where(isGray, one, range);
        var fromRed = (value - red) / divisor;
        var fromGreen = (value - green) / divisor;
        var fromBlue = (value - blue) / divisor;
        // The hue in sixths of the circle. It depends on which color is largest; if two are, the first counts.
        var sixth = where(value == red, fromBlue - fromGreen, where(value == green, 2 + fromRed - fromBlue, 4 + fromGreen - fromRed));
        return ((sixth / 6 + 1).fmod(1), range / where(isGray, one, value), value);
    }

    private static Tensor ToRgb(Tensor hue, Tensor saturation, Tensor value)
    {
        var sixth = (hue * 6).floor();
        var part = hue * 6 - sixth;
        var low = (value * (1 - saturation)).clamp(0, 1);
        var falling = (value * (1 - saturation * part)).clamp(0, 1);
        var rising = (value * (1 - saturation * (1 - part))).clamp(0, 1);
        var index = sixth.to_type(ScalarType.Int32).remainder(6).to_type(ScalarType.Int64).unsqueeze(-3);
        Tensor Choose(params Tensor[] bySixth) => stack(bySixth, -3).gather(-3, index);
        return cat(
            [
                Choose(value, falling, low, low, rising, value),
                Choose(rising, value, value, falling, low, low),
                Choose(low, low, rising, value, value, falling),
            ],
            -3);
    }
}
