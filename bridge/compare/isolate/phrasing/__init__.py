"""Phrase: turn the findings about modules in isolation into sentences, with the line of C# to write."""
