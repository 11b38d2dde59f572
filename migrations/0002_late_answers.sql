-- Answers of the bank that came too late to be an outcome, for whoever has to explain an order.

create table late_answers (
  id bigint generated always as identity primary key,
  -- Of the message that it answers: an order's or an advice's. Null when that was none of ours.
  message_number bigint,
  mti text not null,
  response_code text not null,
  auth_code text not null,
  received_at timestamptz not null
);
create index late_answers_by_message on late_answers (message_number);
