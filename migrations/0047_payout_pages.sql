-- The portal's list of payouts, and the lines between two payouts of a source.

create index settlement_payouts_by_merchant on settlement_payouts (merchant_id, id);
create index settlement_payouts_by_source on settlement_payouts (source_id, file_id, n);
