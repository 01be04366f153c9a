"""What the commands write to, and Ctrl-C: the standard streams, the console for tables and colours, and the handling of interrupts."""
