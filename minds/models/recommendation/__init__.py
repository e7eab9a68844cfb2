"""Networks that guess what somebody will click: ids of features in, one logit out."""
