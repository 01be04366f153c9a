namespace Bridge.Torch.Tests;

/// <summary>Tests Phrases.cs.</summary>
public class PhrasesTests
{
    [Theory]
    [InlineData(0, "0 elements")]
    [InlineData(1, "1 element")]
    [InlineData(2, "2 elements")]
    public void A_noun_has_the_number_of_its_figure(long number, string words) =>
        Assert.Equal(words, Phrases.Plural(number, "element"));
}
