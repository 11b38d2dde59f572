import { createHash } from 'node:crypto'
import { findCurrency, type Currency } from '../../domain/currency.ts'
import type { BankEntry, BankStatement } from '../../domain/settlement/bank-statement.ts'
import { balanceOf, child, entryOf, textAt, type Balance } from './camt-entry.ts'
import { readXml, StatementRefused, type Element } from './camt-xml.ts'

/** The elements below a statement that are read; others are skipped and counted. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'Id IBAN Othr Ccy ElctrncSeqNb StmtPgntn MsgPgntn PgNb LastPgInd CpyDplctInd Acct Bal Tp ' +
    'CdOrPrtry Cd Prtry Amt CdtDbtInd Dt DtTm Ntry NtryRef RvslInd Sts BookgDt ValDt AcctSvcrRef ' +
    'BkTxCd Domn Fmly SubFmlyCd NtryDtls Btch NbOfTxs TtlAmt TxDtls Refs EndToEndId ' +
    'AmtDtls TxAmt ' +
    'RmtInf Ustrd Strd CdtrRefInf Ref Chrgs TtlChrgsAndTaxAmt RltdPties Dbtr Cdtr Pty Nm'
  ).split(' '),
)
const MOST_ENTRIES = 200_000

/** The statements of a file, the hash of its bytes, and how many elements were skipped. */
export interface StatementFile {
  readonly pages: readonly BankStatement[]
  /** Hexadecimal SHA-256. */
  readonly sha256: string
  readonly skipped: number
}

/**
 * Reads camt.053 statements and camt.054 notifications. Pages stay apart.
 * @throws StatementRefused with what was found, expected, and what to do
 */
export async function readStatementFile(path: string): Promise<StatementFile> {
  const hash = createHash('sha256')
  const pages: BankStatement[] = []
  const group = newElement()
  let open: StatementParts | null = null
  const finish = (): void => {
    if (open !== null) pages.push(open.end(group))
    open = null
  }
  const skipped = await readXml(
    path,
    {
      known: KNOWN,
      onOpen([, message = '', part]) {
        if (part === undefined) return
        finish()
        if (part !== 'GrpHdr') open = new StatementParts(kindOf(message, part))
      },
      onElement(element) {
        if (open === null) group.children.push(element)
        else open.add(element)
      },
    },
    (bytes) => hash.update(bytes),
  )
  finish()
  if (pages.length === 0) throw new StatementRefused('The file has no statement.')
  return { pages, sha256: hash.digest('hex'), skipped }
}

function newElement(): Element {
  return { name: '', currency: null, text: '', children: [] }
}

/** Gathers a statement. Its entries come last, and are read at once to keep only what they say. */
class StatementParts {
  readonly #kind: BankStatement['kind']
  readonly #root = newElement()
  readonly #entries: BankEntry[] = []
  #currency: Currency | null = null

  constructor(kind: BankStatement['kind']) {
    this.#kind = kind
  }

  add(element: Element): void {
    if (element.name !== 'Ntry') {
      this.#root.children.push(element)
      return
    }
    const id = textAt(this.#root, 'Id') ?? ''
    this.#currency ??= findStatementCurrency(id, this.#root, element)
    this.#entries.push(entryOf(element, this.#entries.length + 1, { id, currency: this.#currency }))
    if (this.#entries.length > MOST_ENTRIES) {
      throw new StatementRefused(`A statement has more than ${MOST_ENTRIES} entries.`)
    }
  }

  /** @param group the group header, which has the pages of version 02 */
  end(group: Element): BankStatement {
    const id = textAt(this.#root, 'Id') ?? ''
    const currency = this.#currency ?? findStatementCurrency(id, this.#root, null)
    return statementOf(this.#kind, { group, root: this.#root, currency, entries: this.#entries })
  }
}

function kindOf(message: string, part: string): BankStatement['kind'] {
  if (message === 'BkToCstmrStmt' && part === 'Stmt') return 'statement'
  if (message === 'BkToCstmrDbtCdtNtfctn' && part === 'Ntfctn') return 'notification'
  const found = `${message.slice(0, 40)}/${part.slice(0, 40)}`
  throw new StatementRefused(
    `The file has ${found}; expected BkToCstmrStmt/Stmt or BkToCstmrDbtCdtNtfctn/Ntfctn.`,
  )
}

function statementOf(
  kind: BankStatement['kind'],
  parts: {
    readonly group: Element
    readonly root: Element
    readonly currency: Currency
    readonly entries: readonly BankEntry[]
  },
): BankStatement {
  const { currency, entries, group, root } = parts
  const id = textAt(root, 'Id')
  if (id === null) throw new StatementRefused('A statement has no Id.')
  const number = textAt(root, 'Acct', 'Id', 'IBAN') ?? textAt(root, 'Acct', 'Id', 'Othr', 'Id')
  if (number === null) throw new StatementRefused(`Statement ${id} names no account.`)
  const balances = root.children
    .filter(({ name }) => name === 'Bal')
    .map(balanceOf)
    .filter((balance) => balance !== null)
  const balanceOfType = (...types: readonly string[]): Balance | null =>
    types.map((type) => oneBalance(id, balances, type)).find((each) => each !== null) ?? null
  const opening = balanceOfType('OPBD', 'PRCD')
  const closing = balanceOfType('CLBD')
  const pages = child(root, 'StmtPgntn') ?? child(group, 'MsgPgntn')
  return {
    kind,
    id,
    sequence: textAt(root, 'ElctrncSeqNb'),
    account: {
      last4: number.slice(-4),
      hash: createHash('sha256').update(number.replaceAll(' ', '')).digest('hex'),
    },
    currency,
    openingMinor: opening?.minor(currency) ?? null,
    closingMinor: closing?.minor(currency) ?? null,
    openedOn: opening?.day ?? null,
    closedOn: closing?.day ?? null,
    page: pageOf(id, pages === null ? null : textAt(pages, 'PgNb')),
    isLastPage: pages === null || readIndicator(id, 'LastPgInd', textAt(pages, 'LastPgInd'), true),
    isCopy: textAt(root, 'CpyDplctInd') !== null,
    entries,
  }
}

function pageOf(id: string, text: string | null): number {
  if (text === null) return 1
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new StatementRefused(
    `Statement ${id} has the page "${text.slice(0, 20)}"; expected a number.`,
  )
}

/** A value of xs:boolean. */
function readIndicator(id: string, name: string, text: string | null, absent: boolean): boolean {
  if (text === null) return absent
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw new StatementRefused(
    `Statement ${id} has ${name} "${text.slice(0, 20)}"; expected true or false.`,
  )
}

function oneBalance(id: string, balances: readonly Balance[], type: string): Balance | null {
  const [balance, other] = balances.filter((each) => each.type === type)
  if (other !== undefined) {
    throw new StatementRefused(`Statement ${id} has two balances of the type ${type}.`)
  }
  return balance ?? null
}

function findStatementCurrency(id: string, root: Element, entry: Element | null): Currency {
  const balance = child(root, 'Bal')
  const code =
    textAt(root, 'Acct', 'Ccy') ??
    (balance === null ? null : child(balance, 'Amt')?.currency) ??
    (entry === null ? null : child(entry, 'Amt')?.currency) ??
    ''
  const currency = /^[A-Z]{3}$/.test(code) ? findCurrency(code) : null
  if (currency !== null) return currency
  throw new StatementRefused(`Statement ${id} has no currency of ISO 4217.`)
}
