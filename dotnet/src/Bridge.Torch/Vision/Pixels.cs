namespace Bridge.Torch.Vision;

/// <summary>Converts between pixels (the bytes blue, green, red and perhaps alpha) and planes, each with one channel's bytes.</summary>
internal static unsafe class Pixels
{
    /// <summary>Writes the planes red, green, blue and, unless it is null, <paramref name="alpha"/>.</summary>
    internal static void Split(byte* pixels, byte* red, byte* green, byte* blue, byte* alpha, long channels, long size)
    {
        for (long i = 0; i < size; i++, pixels += channels)
        {
            (blue[i], green[i], red[i]) = (pixels[0], pixels[1], pixels[2]);
            if (alpha != null) alpha[i] = pixels[3];
        }
    }

    /// <summary>Writes pixels of four bytes from the planes red, green, blue and perhaps a fourth one.</summary>
    /// <remarks>As in TorchSharp, alpha is 255 for three planes. For four planes it is a copy of blue, and the fourth is ignored.</remarks>
    internal static void Join(byte* planes, byte* pixels, long channels, long size)
    {
        for (long i = 0; i < size; i++, pixels += 4)
        {
            (pixels[0], pixels[1], pixels[2]) = (planes[2 * size + i], planes[size + i], planes[i]);
            pixels[3] = channels == 4 ? pixels[0] : (byte)255;
        }
    }
}
