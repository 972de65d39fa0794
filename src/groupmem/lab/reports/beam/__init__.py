"""BEAM as its harness reports it: a record a system (`record`), and the tables of its page (`tables`)."""

from groupmem.lab.reports.beam.record import BeamRecord, read_records, write_records
from groupmem.lab.reports.beam.tables import beam_tables

__all__ = ["BeamRecord", "beam_tables", "read_records", "write_records"]
