import { formatMinor } from '../../domain/money.ts'
import { checkBalance, type BankStatement } from '../../domain/settlement/bank-statement.ts'
import type { DepositPayer, PayoutNames } from '../../domain/settlement/deposit-naming.ts'
import {
  inSequence,
  placeStatement,
  type StatementPosition,
} from '../../domain/settlement/statement-chain.ts'
import { classifyEntries } from './classify-entries.ts'
import type { BankAccount, DepositTx, NewStatement } from './deposit-store.ts'

/** Why bank statements are refused. Nothing of their files is booked. */
export const STATEMENT_FAULTS = {
  unreadable: 'a file is no bank statement that can be read',
  pages: 'pages of a statement are missing',
  account: 'the bank account is not registered',
  payer: 'nothing says how the deposits of a settlement source look',
  balance: 'the balances and the entries of a statement contradict each other',
  changed: 'the statement was imported before with other content',
  sequence: 'a statement in between is missing, or came later',
} as const

export type StatementFaultCode = keyof typeof STATEMENT_FAULTS

/** Refuses all files of an import. */
export class StatementFault extends Error {
  override readonly name = 'StatementFault'
  readonly code: StatementFaultCode
  readonly reasons: readonly string[]

  constructor(code: StatementFaultCode, reasons: readonly string[]) {
    super(reasons.join(' '))
    this.code = code
    this.reasons = reasons
  }
}

/** A statement that may be imported. */
export interface CheckedStatement {
  /** Id of the same statement with the same content; null for a new one. */
  readonly knownId: bigint | null
  readonly added: NewStatement
  readonly facts: {
    readonly statement: string
    readonly last4: string
    readonly entries: number
    readonly others: number
    readonly repeatedEntries: number
    readonly warnings: readonly string[]
  }
}

interface Checking {
  readonly sha256: (text: string) => string
  readonly mask: (text: string) => string
}

interface StatementSet {
  readonly statements: readonly BankStatement[]
  readonly filesSha256: readonly string[]
  readonly acceptGap: boolean
}

const MOST_ID = 64
const MOST_SEQUENCE = 32

type DatedStatement = BankStatement & { readonly closedOn: string }

/**
 * Checks all statements of an import before anything is written, under the lock of their merchants.
 * @throws StatementFault
 */
export async function checkStatements(
  tx: DepositTx,
  checking: Checking,
  set: StatementSet,
): Promise<readonly CheckedStatement[]> {
  const accounts = await findAccounts(tx, set.statements)
  const checked: CheckedStatement[] = []
  for (const account of accounts) {
    const own = set.statements.filter((statement) => isOf(statement, account)).map(withClosingDay)
    const payers = await readPayers(tx, account)
    const payouts = await tx.readPayouts(account.merchantId, account.currency)
    const announced = payouts.filter(({ state }) => state === 'announced')
    let last = await tx.readPosition(account.id)
    for (const statement of inSequence(own)) {
      const context = { account, payers, announced, last, set, checking }
      const each = await checkStatement(tx, statement, context)
      checked.push(each)
      if (each.knownId === null) last = positionOf(each.added)
    }
  }
  return checked
}

function isOf({ account, currency }: BankStatement, { currency: own, hash }: BankAccount): boolean {
  return account.hash === hash && currency.code === own
}

function positionOf(added: NewStatement): StatementPosition {
  const { closedOn, closingMinor, sequence, statement } = added
  return { statement, sequence, closedOn, closingMinor }
}

/** The registered accounts, locked. @throws StatementFault with the command that registers one */
async function findAccounts(
  tx: DepositTx,
  statements: readonly BankStatement[],
): Promise<readonly BankAccount[]> {
  const hashes = [...new Set(statements.map(({ account }) => account.hash))]
  const found = await tx.findAccounts(hashes)
  const missing = statements.filter((each) => !found.some((account) => isOf(each, account)))
  if (missing.length > 0) {
    const names = new Set(
      missing.map(({ account, currency }) => `${account.last4} in ${currency.code}`),
    )
    const command = 'tollgate deposits account MERCHANT IBAN --currency CODE --since YYYY-MM-DD'
    const reasons = [...names].map(
      (name) => `The bank account ending in ${name} is not registered. Run: ${command}`,
    )
    throw new StatementFault('account', reasons)
  }
  const merchants = [...new Set(found.map(({ merchantId }) => merchantId))]
  await tx.lockMerchants(merchants.toSorted((one, other) => (one < other ? -1 : 1)))
  const locked = await tx.findAccounts(hashes)
  return locked.filter((account) => statements.some((each) => isOf(each, account)))
}

/** @throws StatementFault with the command that describes deposits */
async function readPayers(
  tx: DepositTx,
  { currency, merchantId }: BankAccount,
): Promise<readonly DepositPayer[]> {
  const sources = await tx.readPayers(merchantId, currency)
  if (sources.length === 0) {
    const reason =
      `Merchant ${merchantId} has no settlement source in ${currency}. Run: ` +
      'tollgate settlement --help'
    throw new StatementFault('payer', [reason])
  }
  const without = sources.filter(({ payer }) => payer === null)
  if (without.length > 0) {
    const reasons = without.map(
      ({ merchantAccountId: id }) =>
        `Nothing says how the deposits of merchant account ${id} in ${currency} look. Run: ` +
        `tollgate deposits payer ${id} --currency ${currency} --name NAME --reference PATTERN`,
    )
    throw new StatementFault('payer', reasons)
  }
  return sources.flatMap(({ payer }) => payer ?? [])
}

/** @throws StatementFault for a name that is too long, or a closing balance without a day */
function withClosingDay(statement: BankStatement): DatedStatement {
  const { closedOn, id, sequence } = statement
  if (id.length > MOST_ID || (sequence ?? '').length > MOST_SEQUENCE) {
    const reason =
      `Statement ${id.slice(0, 20)} has a longer Id or ElctrncSeqNb than the ${MOST_ID} or ` +
      `${MOST_SEQUENCE} characters that are allowed; get it from the bank again.`
    throw new StatementFault('unreadable', [reason])
  }
  if (closedOn !== null) return { ...statement, closedOn }
  const reason = `The closing balance of statement ${id} has no date; get the statement again.`
  throw new StatementFault('balance', [reason])
}

async function checkStatement(
  tx: DepositTx,
  statement: DatedStatement,
  context: {
    readonly account: BankAccount
    readonly payers: readonly DepositPayer[]
    readonly announced: readonly (PayoutNames & { readonly sourceId: bigint })[]
    readonly last: StatementPosition | null
    readonly set: StatementSet
    readonly checking: Checking
  },
): Promise<CheckedStatement> {
  const { account, checking, last, set } = context
  const balance = checkBalance(statement, account.reading)
  if (balance.kind === 'refused') throw new StatementFault('balance', [balance.reason])
  const content = checking.sha256(contentOf(statement))
  const sequence = statement.sequence ?? ''
  const known = await tx.findStatement(account.id, statement.id, sequence)
  const booked = balance.entries.filter(({ state }) => state === 'booked')
  const place =
    known === null ? placeStatement(statement, last) : { kind: 'follows' as const, warning: null }
  if (place.kind === 'late' || (place.kind === 'gap' && !set.acceptGap)) {
    throw new StatementFault('sequence', [place.reason])
  }
  const entries =
    known === null
      ? await classifyEntries(tx, statement.closedOn, booked, { ...context, mask: checking.mask })
      : []
  const added: NewStatement = {
    account,
    statement: statement.id,
    sequence,
    openedOn: statement.openedOn,
    closedOn: statement.closedOn,
    openingMinor: statement.openingMinor ?? 0n,
    closingMinor: statement.closingMinor ?? 0n,
    contentSha256: content,
    filesSha256: set.filesSha256,
    followsGap: place.kind === 'gap',
    entries,
  }
  if (known !== null && known.contentSha256 !== content) {
    throw new StatementFault('changed', [changedReason(statement, known, booked.length)])
  }
  const warning = place.kind === 'gap' ? place.reason : place.warning
  return {
    knownId: known?.id ?? null,
    added,
    facts: {
      statement: statement.id,
      last4: account.last4,
      entries: booked.length,
      others: entries.filter(({ state }) => state === 'other').length,
      repeatedEntries: entries.filter(({ state }) => state === 'repeated').length,
      warnings: warning === null ? [] : [warning],
    },
  }
}

/** All that a statement says, but not how its files say it. */
function contentOf(statement: DatedStatement): string {
  const { closedOn, closingMinor, currency, entries, id, openedOn, openingMinor, sequence } =
    statement
  const facts = { id, sequence, currency: currency.code, openedOn, closedOn, entries }
  return JSON.stringify({ ...facts, openingMinor, closingMinor }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

function changedReason(
  { closingMinor, currency, id, openingMinor }: BankStatement,
  known: { readonly openingMinor: bigint; readonly closingMinor: bigint; readonly entries: number },
  entries: number,
): string {
  const show = (minor: bigint | null): string => formatMinor(minor ?? 0n, currency)
  return (
    `Statement ${id} was imported with ${known.entries} entries from ` +
    `${show(known.openingMinor)} to ${show(known.closingMinor)} before. This one has ${entries} ` +
    `from ${show(openingMinor)} to ${show(closingMinor)}; ask the bank which of them counts.`
  )
}
