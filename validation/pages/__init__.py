"""Programs that write pages and figures of docs/, each from runs of its own."""
