"""How a report is written: text for a terminal, Markdown, TSV, LaTeX. JSON is in `reports.objects`."""
