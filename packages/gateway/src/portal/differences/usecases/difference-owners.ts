import { mayDo, type Role } from '@tollgate/portal-contract/rights'

/** The users who may own differences: those who may resolve them. */
export async function listOwners(
  users: (
    merchantId: bigint,
  ) => Promise<readonly { readonly name: string; readonly email: string; readonly role: Role }[]>,
  merchantId: bigint,
): Promise<readonly { readonly name: string; readonly email: string }[]> {
  const all = await users(merchantId)
  return all
    .filter(({ role }) => mayDo(role, 'recon.resolve'))
    .map(({ email, name }) => ({ name, email }))
}
