import type { Result } from '../../base/refusal.ts'
import type { Secret } from '../../base/secret.ts'
import { decideLink } from '../../domain/banks/link-change.ts'
import type { LinkOutline, SealedLink, SealedLinkKey } from '../../domain/banks/link-outline.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { Mode } from '../merchants/merchant-directory.ts'
import type { LinkDraft } from '../merchants/operator.ts'

/** A link as it is stored, without its key, and the accounts that use it. */
export interface StoredLink extends LinkOutline {
  readonly accounts: readonly { readonly id: string; readonly mode: Mode }[]
}

/** Seals the key of a client certificate for the link of the name. */
export type SealLinkKey = (key: Secret, linkName: string) => Promise<SealedLinkKey>

/** Takes the key out of a link, and seals it. */
export async function sealLink(
  { tls, ...rest }: LinkDraft,
  sealKey: SealLinkKey,
): Promise<SealedLink> {
  if (tls === null) return { link: { ...rest, tls }, key: null }
  const { ca, client } = tls
  const link = { ...rest, tls: { ca, cert: client?.cert ?? null } }
  return { link, key: client === null ? null : await sealKey(client.key, rest.name) }
}

/** The locks, reads and writes of one creation or change of a processor link. */
export interface LinkTx extends AuditedTx {
  /**
   * Holds the link until the commit: no account can begin to use it. Gives the link as the audit
   * log shows it, a JSON text without its key; null for no such link.
   */
  lockLink(name: string): Promise<string | null>
  /** The modes of the accounts that use the link. */
  readModesInUse(name: string): Promise<readonly Mode[]>
  /** Creates the link, or changes the one of its name. Returns whether it is new. */
  writeLink(sealed: SealedLink): Promise<boolean>
}

/** Creates or changes a processor link. A refusal is on record. */
export type PutLink = (
  sealed: SealedLink,
  by: AuditAuthor,
) => Promise<Result<{ readonly created: boolean }>>

/** Decides under the lock of the link, and writes the audit entry with the change. */
export function createPutLink(transact: Transact<LinkTx>): PutLink {
  return (sealed, by) =>
    transact(async (tx) => {
      const { link } = sealed
      const before = await tx.lockLink(link.name)
      const refusal = decideLink(link, await tx.readModesInUse(link.name))
      const entry = { ...by, operation: 'link.put', object: `link ${link.name}` } as const
      if (refusal !== null) {
        await tx.audit([{ ...entry, result: 'refused', details: { faults: refusal.faults } }])
        return refusal
      }
      const created = await tx.writeLink(sealed)
      const details = { before, after: await tx.lockLink(link.name) }
      await tx.audit([{ ...entry, result: 'done', details }])
      return { ok: true, created }
    })
}
