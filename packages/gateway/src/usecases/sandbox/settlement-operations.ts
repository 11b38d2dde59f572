import { refused, type Refusal } from '../../base/refusal.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { MerchantAccount, Site } from '../merchants/merchant-directory.ts'
import {
  untilFound,
  type OperationDeps,
  type OperationResult,
  type WrittenFile,
} from './operation-ports.ts'

/** Longer than a capture takes to be answered, and a batch to be agreed. */
const PATIENCE_MS = 15_000

/** Closes the open batch of one account. */
export async function closeBatch(
  deps: OperationDeps,
  site: Site,
  accountId: bigint | null,
  by: AuditAuthor,
): Promise<OperationResult> {
  const accounts = accountsOf(site, accountId)
  if (!Array.isArray(accounts)) return accounts
  const [account, other] = accounts
  if (account === undefined || other !== undefined) {
    const ids = accounts.map(({ id }) => id).join(', ')
    return refused('invalid', `The site has the accounts ${ids}. Name one in account.`, {
      field: 'account',
    })
  }
  const closed = await closeOne(deps, site, account.id, by)
  if (closed === null) {
    return refused(
      'conflict',
      `The open batch of account ${account.id} holds nothing that the bank has answered. ` +
        'Make a sale, a capture or a refund first.',
      { code: 'nothing_to_close' },
    )
  }
  const isAgreed = await untilAgreed(deps, account.id)
  const { batchId, nextId } = closed
  return {
    ok: true,
    report: {
      account: Number(account.id),
      batch: Number(batchId),
      next_batch: Number(nextId),
      state: isAgreed ? 'ended' : 'agreeing',
    },
  }
}

/** Closes what is open, has the bank write its files, and imports them. */
export async function settle(
  deps: OperationDeps,
  site: Site,
  accountId: bigint | null,
  by: AuditAuthor,
): Promise<OperationResult> {
  const accounts = accountsOf(site, accountId)
  if (!Array.isArray(accounts)) return accounts
  const files: { account: number; file: string; currency: string; lines: number }[] = []
  for (const account of accounts) {
    await closeOne(deps, site, account.id, by)
    if (!(await untilAgreed(deps, account.id))) {
      const fault = `A batch of account ${account.id} is not agreed yet. Send the request again.`
      return refused('conflict', fault, { code: 'agreeing' })
    }
    const written = await deps.bank.writeFiles(account.acquirerMerchantId)
    if (!written.ok) return written
    const refusal = await importAll(deps, account, written.files)
    if (refusal !== null) return refusal
    for (const { currency, lines, name } of written.files) {
      files.push({ account: Number(account.id), file: name, currency, lines })
    }
  }
  if (files.length > 0) return { ok: true, report: { files } }
  const fault = 'Nothing waits for a settlement file. Make a sale, a capture or a refund first.'
  return refused('conflict', fault, { code: 'nothing_to_settle' })
}

/** Marks a capture or refund, so that the next file rejects it. */
export async function reject(
  deps: OperationDeps,
  site: Site,
  transactionId: bigint,
): Promise<OperationResult> {
  const movement = await deps.store.findMovement(site, transactionId)
  if (movement === null) {
    const fault =
      'The site has no such capture or refund. Expected the transaction of an ' +
      'approved sale, of a capture, or of a refund of an order.'
    return refused('missing', fault, { field: 'transaction' })
  }
  const { account, accountId, key, kind, orderId } = movement
  await untilAnswered(deps, accountId)
  const marked = await deps.bank.reject(account, key)
  if (!marked.ok) return marked
  const report = { transaction: Number(transactionId), order: Number(orderId), kind }
  return { ok: true, report: { ...report, state: 'rejected_in_next_file' } }
}

async function closeOne(
  deps: OperationDeps,
  site: Site,
  accountId: bigint,
  by: AuditAuthor,
): ReturnType<OperationDeps['closeBatch']> {
  // A capture without an answer would go into the next batch.
  await untilAnswered(deps, accountId)
  const closed = await deps.closeBatch(site, accountId, by)
  if (closed !== null) deps.batchClosed()
  return closed
}

/** Waits for the bank's answers to captures and refunds of an account, for a while. */
export async function untilAnswered(deps: OperationDeps, accountId: bigint): Promise<void> {
  await untilFound(deps, PATIENCE_MS, () => noneLeft(deps.store.countUnanswered(accountId)))
}

async function untilAgreed(deps: OperationDeps, accountId: bigint): Promise<boolean> {
  const agreed = await untilFound(deps, PATIENCE_MS, () =>
    noneLeft(deps.store.countClosing(accountId)),
  )
  return agreed !== null
}

async function noneLeft(counting: Promise<number>): Promise<true | null> {
  return (await counting) === 0 ? true : null
}

/** Null once every file is booked. */
async function importAll(
  deps: OperationDeps,
  account: MerchantAccount,
  files: readonly WrittenFile[],
): Promise<Refusal | null> {
  if (files.length === 0) return null
  const done = await untilFound(deps, PATIENCE_MS, async () => {
    const imported = await deps.importFiles(account.id)
    if (!imported.ok) return imported
    const [refusal] = imported.refusals
    if (refusal !== undefined) return refused('conflict', refusal, { code: 'file_refused' })
    const isBooked = ({ currency, seq }: WrittenFile): boolean =>
      (imported.booked.get(currency) ?? 0n) >= seq
    return files.every(isBooked) ? true : null
  })
  if (done === true) return null
  const fault = `The files of account ${account.id} are written, and are being imported.`
  return done ?? refused('conflict', fault, { code: 'importing' })
}

/** The accounts of the site at the bundled bank: one of them, or all. */
function accountsOf(site: Site, accountId: bigint | null): MerchantAccount[] | Refusal {
  const accounts = site.merchantAccounts.filter(
    ({ linkId, mode }) => linkId === null && mode === 'test',
  )
  if (accountId === null) return accounts
  const found = accounts.filter(({ id }) => id === accountId)
  if (found.length > 0) return found
  const ids = accounts.map(({ id }) => id).join(', ')
  const fault = `The site has no such account at the test bank. Expected one of ${ids}.`
  return refused('missing', fault, { field: 'account' })
}
