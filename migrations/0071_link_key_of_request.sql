-- Locks: data_keys, share row exclusive, milliseconds
-- Locks: operator_requests, access exclusive, reads the table
-- Runs beside: 0056

-- The client key of a processor link that waits for a second operator, sealed for the link. The
-- database itself erases it with the end of the request, whichever program ends that.
alter table operator_requests
  add column link_key_ciphertext bytea,
  add column link_key_data_key_id integer references data_keys,
  add constraint operator_requests_link_key_whole
    check ((link_key_ciphertext is null) = (link_key_data_key_id is null)),
  add constraint operator_requests_link_key_while_open
    check (state = 'open' or link_key_ciphertext is null);

create function forget_link_key_of_request() returns trigger language plpgsql as $$
begin
  new.link_key_ciphertext := null;
  new.link_key_data_key_id := null;
  return new;
end
$$;

create trigger operator_requests_forget_link_key before update on operator_requests
  for each row when (new.state <> 'open') execute function forget_link_key_of_request();
