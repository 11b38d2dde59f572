/** An address that breaks behind its @, where it has to. */
export function Email({ address }: { readonly address: string }) {
  const [name = '', ...domain] = address.split('@')
  return domain.length === 0 ? (
    address
  ) : (
    <>
      {name}@<wbr />
      {domain.join('@')}
    </>
  )
}
