-- The keys that sign what 3-D Secure hands to browsers and shops and takes back from them.

create table three_ds_keys (
  id bigint generated always as identity primary key,
  -- RFC 7638 thumbprint of the public key.
  kid text not null unique,
  -- As JWK. It is good for a while after the next key has come.
  public_key json not null,
  -- Format as payment_methods.pan_ciphertext, bound to the kid.
  private_key_ciphertext bytea not null,
  data_key_id integer not null references data_keys,
  created_at timestamptz not null
);
