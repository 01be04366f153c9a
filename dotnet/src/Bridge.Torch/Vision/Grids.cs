using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Vision;

/// <summary>Moves the pixels of pictures by the formulas of torchvision.transforms.functional.</summary>
/// <remarks>A grid [1, H, W, 2] has, for each pixel of the result, the x and y to read at; the picture's edges are at -1 and 1.</remarks>
internal static class Grids
{
    private const double Tolerance = 0.0001; // in pixels; coordinates are cut to multiples of it, because of rounding errors

    /// <summary>Returns the grid of an affine map.</summary>
    /// <param name="matrix">The map [1, 2, 3] from places in the result to places in the picture, in pixels from their centers.</param>
    /// <param name="width">The width of the picture.</param>
    /// <param name="height">The height of the picture.</param>
    /// <param name="outWidth">The width of the result.</param>
    /// <param name="outHeight">The height of the result.</param>
    internal static Tensor Affine(Tensor matrix, long width, long height, long outWidth, long outHeight)
    {
        var (type, device) = (matrix.dtype, matrix.device);
        var points = Points(outWidth, outHeight, (1 - outWidth) * 0.5, (1 - outHeight) * 0.5, type, device);
        var half = tensor(new[] { 0.5f * width, 0.5f * height }, dtype: type, device: device);
        return points.bmm(matrix.transpose(1, 2) / half).view(1, outHeight, outWidth, 2);
    }

    /// <summary>Returns the grid of a perspective map with these eight coefficients; the result is as large as the picture.</summary>
    internal static Tensor Perspective(float[] coefficients, long width, long height, ScalarType type, Device device)
    {
        var c = coefficients;
        var points = Points(width, height, 0.5, 0.5, type, device);
        var above = tensor(new[] { c[0], c[1], c[2], c[3], c[4], c[5] }, dtype: type, device: device).view(1, 2, 3);
        var below = tensor(new[] { c[6], c[7], 1, c[6], c[7], 1 }, dtype: type, device: device).view(1, 2, 3);
        var half = tensor(new[] { 0.5f * width, 0.5f * height }, dtype: type, device: device);
        var grid = points.bmm(above.transpose(1, 2) / half) / points.bmm(below.transpose(1, 2)) - 1;
        return grid.view(1, height, width, 2);
    }

    /// <summary>Reads pictures [N, C, H, W] at the places of a grid.</summary>
    /// <param name="image">The pictures.</param>
    /// <param name="grid">The grid, the same for all pictures.</param>
    /// <param name="mode">Nearest reads the nearest pixel; any other mode, a weighted mean of four pixels.</param>
    /// <param name="fill">The color outside of the pictures: one number, or one for each channel. If empty, the color is black.</param>
    internal static Tensor Apply(Tensor image, Tensor grid, InterpolationMode mode, float[] fill)
    {
        var nearest = mode == InterpolationMode.Nearest;
        var batch = image.shape[0];
        if (batch > 1) grid = grid.expand(batch, grid.shape[1], grid.shape[2], grid.shape[3]);
        if (fill.Length == 0) return Sample(image, grid, nearest);
        // A channel of ones is added. In the result it is the share of each pixel that is from the picture.
        var inside = ones([batch, 1, image.shape[2], image.shape[3]], dtype: image.dtype, device: image.device);
        var sampled = Sample(cat([image, inside], 1), grid, nearest);
        var (result, mask) = (sampled[.., ..^1], sampled[.., ^1..].expand_as(sampled[.., ..^1]));
        var color = tensor(fill, dtype: image.dtype, device: image.device).view(1, fill.Length, 1, 1).expand_as(result);
        return nearest ? where(mask < 0.5, color, result) : result * mask + (1 - mask) * color;
    }

    /// <summary>Returns the width and the height, in whole pixels, of the box around a picture's corners after an affine map.</summary>
    internal static Tensor OutputSize(float[] matrix, long width, long height)
    {
        var (x, y) = (0.5f * width, 0.5f * height);
        var corners = tensor(new[] { -x, -y, 1, -x, y, 1, x, y, 1, x, -y, 1 }).view(1, 4, 3);
        // Relative to the picture's top left corner.
        var moved = corners.bmm(tensor(matrix).view(1, 2, 3).transpose(1, 2)).view(4, 2) + tensor(new[] { x, y });
        return Cut(moved.amax([0])).ceil() - Cut(moved.amin([0])).floor();

        static Tensor Cut(Tensor size) => (size / Tolerance).trunc() * Tolerance;
    }

    private static Tensor Sample(Tensor image, Tensor grid, bool nearest) =>
        nn.functional.grid_sample(image, grid, nearest ? GridSampleMode.Nearest : GridSampleMode.Bilinear, align_corners: false);

    // Returns x, y and 1 for each pixel, as [1, H * W, 3]. The first pixel is at `left` and `top`.
    private static Tensor Points(long width, long height, double left, double top, ScalarType type, Device device)
    {
        var columns = linspace(left, left + width - 1, width, dtype: type, device: device).expand(height, width);
        var rows = linspace(top, top + height - 1, height, dtype: type, device: device).unsqueeze(-1).expand(height, width);
        return stack([columns, rows, ones_like(columns)], -1).view(1, height * width, 3);
    }
}
