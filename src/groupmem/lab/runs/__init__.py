"""Runs: a spec becomes a folder of records, in stages that can be cut off anywhere and go on.

`engine.run` carries a spec out, `estimate.make_plan` says beforehand what it takes. A spec is prepared (`prepare`) and
its folder opened (`opening`); each cell (`cell`) then goes through the `stages`: ingest and recall drive a row (`rows`
for systems, `reference` for what a table compares them with), answer and judge call models side by side.
"""
