import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { openDatabase } from '../../packages/gateway/src/adapters/postgres/connection/database.ts'
import { findCurrency, type Currency } from '../../packages/gateway/src/domain/currency.ts'
import { formatMinor } from '../../packages/gateway/src/domain/money.ts'
import {
  createDepositOperator,
  type DepositOperator,
} from '../../packages/gateway/src/wiring/operator-deposits.ts'
import { SAMPLE_MERCHANT } from './sample-merchant.ts'

/** The published example of an IBAN: one bank account in each currency. */
const IBAN = 'DE89370400440532013000'
const PAYER = 'BANK-DEMO ACQUIRING'
const ACTOR = 'operator:sample'
/** A bank charged so much for the deposit before the last one in the first currency. */
const CHARGED_MINOR = 1_250n

interface Payout {
  readonly account_id: string
  readonly currency: string
  readonly net_minor: string
  readonly trace: string
  readonly arrives: string
}

/**
 * Imports a bank statement in each currency, with the deposits up to yesterday. Payouts that arrive
 * later stay announced.
 */
export async function importStatements(sample: {
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly now: Date
}): Promise<void> {
  const { rows } = await sample.pool.query<Payout>(
    `select s.merchant_account_id as account_id, p.currency, p.net_minor, p.trace, p.arrives::text
       from settlement_payouts p join settlement_sources s on s.id = p.source_id
      where p.merchant_id = $1 and p.arrives < $2::date order by p.currency, p.arrives, p.id`,
    [SAMPLE_MERCHANT.id, sample.now],
  )
  const database = openDatabase(sample.databaseUrl, () => undefined)
  try {
    const operator = createDepositOperator(database, database.pool, ACTOR)
    for (const [at, currency] of [...new Set(rows.map((row) => row.currency))].entries()) {
      const own = rows.filter((row) => row.currency === currency)
      await importOne(operator, currency, own, at === 0 ? own.at(-2) : undefined)
    }
  } finally {
    await database.close()
  }
}

async function importOne(
  operator: DepositOperator,
  code: string,
  payouts: readonly Payout[],
  short: Payout | undefined,
): Promise<void> {
  const currency = findCurrency(code)
  const since = payouts[0]?.arrives
  if (currency === null || since === undefined) return
  await operator.putAccount({
    merchantId: BigInt(SAMPLE_MERCHANT.id),
    number: IBAN,
    currency: code,
    reversals: 'as_given',
    since,
  })
  for (const account of new Set(payouts.map((payout) => payout.account_id))) {
    const payer = { payerName: PAYER, referencePattern: '' }
    await operator.putPayer({ accountId: BigInt(account), currency: code, ...payer })
  }
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-sample-'))
  try {
    const file = join(folder, 'statement.xml')
    await writeFile(file, statementText(currency, payouts, short))
    const imported = await operator.importPaths([file], false, () => undefined)
    if (imported.kind === 'refused') throw new Error(imported.reasons.join(' '))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A statement as camt.053. @param short the deposit from which the bank took its charge */
function statementText(
  currency: Currency,
  payouts: readonly Payout[],
  short: Payout | undefined,
): string {
  const entries = payouts.map((payout) => {
    const charge = payout === short ? CHARGED_MINOR : 0n
    return { payout, minor: BigInt(payout.net_minor) - charge }
  })
  const closing = entries.reduce((sum, { minor }) => sum + minor, 0n)
  const day = payouts.at(-1)?.arrives ?? ''
  const amount = (minor: bigint): string =>
    `<Amt Ccy="${currency.code}">${formatMinor(minor, currency)}</Amt><CdtDbtInd>CRDT</CdtDbtInd>`
  const balance = (type: string, minor: bigint): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${amount(minor)}` +
    `<Dt><Dt>${day}</Dt></Dt></Bal>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>SAMPLE-${currency.code}</MsgId></GrpHdr><Stmt><Id>SAMPLE-${currency.code}-1</Id>
<StmtPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></StmtPgntn>
<Acct><Id><IBAN>${IBAN}</IBAN></Id><Ccy>${currency.code}</Ccy></Acct>
${balance('OPBD', 0n)}
${balance('CLBD', closing)}
${entries.map(({ minor, payout }) => entryText(amount(minor), payout)).join('\n')}
</Stmt></BkToCstmrStmt></Document>`
}

function entryText(amount: string, { arrives, trace }: Payout): string {
  return `<Ntry>${amount}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${arrives}</Dt></BookgDt>
<AcctSvcrRef>${trace}</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>${trace}</EndToEndId></Refs>
<RltdPties><Dbtr><Pty><Nm>${PAYER}</Nm></Pty></Dbtr></RltdPties></TxDtls></NtryDtls></Ntry>`
}
