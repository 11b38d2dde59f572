-- A payment that used a card token and was challenged: its final call may name the token again.
-- The token's security code then waits in card_token_codes, sealed as before, until the payment ends.
-- Locks three_ds_authentications for a moment, without reading or writing its rows.

alter table three_ds_authentications add column card_token_id bigint;
comment on column three_ds_authentications.card_token_id is
  'The card token that the payment used; null for any other card.';
