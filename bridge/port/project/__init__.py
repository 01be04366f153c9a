"""The folder of a ported model: its classes, a project, a program, a test and notes, from templates."""
