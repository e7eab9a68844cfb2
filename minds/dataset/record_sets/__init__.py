"""Datasets of records: MindRecord, TFRecord, and rows at random by a schema."""
