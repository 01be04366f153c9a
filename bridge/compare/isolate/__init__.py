"""Each module of a C# port judged by itself."""
