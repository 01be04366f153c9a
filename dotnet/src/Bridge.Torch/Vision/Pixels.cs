namespace Bridge.Torch.Vision;

/// <summary>Converts between pixels of four bytes (blue, green, red, alpha) and one plane of bytes for each color.</summary>
internal static unsafe class Pixels
{
    /// <summary>Writes three planes; a fourth one unless <paramref name="alpha"/> is null.</summary>
    internal static void Split(byte* pixels, byte* red, byte* green, byte* blue, byte* alpha, long channels, long size)
    {
        for (long i = 0; i < size; i++, pixels += channels)
        {
            (blue[i], green[i], red[i]) = (pixels[0], pixels[1], pixels[2]);
            if (alpha != null) alpha[i] = pixels[3];
        }
    }

    /// <summary>Writes the pixels of three or four planes.</summary>
    /// <remarks>As in TorchSharp, pixels are opaque, except that of four channels alpha is the third one, blue.</remarks>
    internal static void Join(byte* planes, byte* pixels, long channels, long size)
    {
        for (long i = 0; i < size; i++, pixels += 4)
        {
            (pixels[0], pixels[1], pixels[2]) = (planes[2 * size + i], planes[size + i], planes[i]);
            pixels[3] = channels == 4 ? pixels[0] : (byte)255;
        }
    }
}
