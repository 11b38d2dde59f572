import { refused, type Result } from '../../base/refusal.ts'
import { processorNameFault } from '../../domain/merchants/account-change.ts'
import { noSuchAccount } from '../../domain/merchants/limits-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import type { AccountTx } from './put-account.ts'

/** The statements of a change of the name. */
export type RenameAccountTx = Pick<
  AccountTx,
  'audit' | 'describeAccount' | 'lockAccount' | 'setProcessorName'
>

/** Changes the name that merchants see as PROC_NAME, in either mode. */
export type RenameAccount = (id: number, name: string, by: AuditAuthor) => Promise<Result>

/** Decides under the lock of the account. The audit entry has both states, as of `put`. */
export function createRenameAccount(transact: Transact<RenameAccountTx>): RenameAccount {
  return (id, name, by) =>
    transact(async (tx) => {
      const fault = processorNameFault(name)
      if (fault !== null) return refused('invalid', fault, { field: 'name' })
      const account = await tx.lockAccount(id)
      if (account === null) return noSuchAccount(BigInt(id))
      const before = await tx.describeAccount(id)
      await tx.setProcessorName(id, name)
      const { merchantId } = account
      const details = { before, after: await tx.describeAccount(id) }
      const entry = { operation: 'account.put', object: `account ${id}`, merchantId } as const
      await tx.audit([{ ...by, ...entry, result: 'done', details }])
      return { ok: true }
    })
}
