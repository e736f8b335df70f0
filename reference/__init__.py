"""Reference models: slow transcriptions of papers, RFCs and kernels that produce the traces of the trace tests."""
