"""Phrase: the findings about modules in isolation as sentences, with the line of C# to write."""
