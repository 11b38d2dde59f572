import type { KeyAuthority } from '../../domain/vault/key-operation.ts'
import { changeKeys, type KeyAdminOptions } from './key-admin.ts'
import { takeApproval } from './key-approvals.ts'

/**
 * Takes what allows an export of all cards, and has it in the audit log before the first of them is
 * decrypted. Throws a sentence without `authority`.
 * @param keyName of the key that the file is encrypted under
 */
export async function allowExport(
  options: KeyAdminOptions,
  keyName: string,
  authority: KeyAuthority,
): Promise<void> {
  const { client, actor } = options
  const reason = await changeKeys(options, async (append) => {
    const entry = { operation: 'vault.export_begun', object: 'payment methods' } as const
    const taken = await takeApproval(client, { does: 'export_vault', keyName }, authority, actor)
    if (taken.ok) append({ ...entry, details: { key: keyName, ...taken.details } })
    else append({ ...entry, result: 'refused', details: { key: keyName, reason: taken.reason } })
    return taken.ok ? null : taken.reason
  })
  if (reason !== null) throw new Error(reason)
}
