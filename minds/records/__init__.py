"""Files of records that several parts of minds read: TFRecord, and the messages in it."""
