/** An entry of a statement: its amount with its sign, and its texts. */
export interface EntryFacts {
  readonly amount: string
  readonly endToEndId?: string
  readonly text?: string
  readonly payer?: string
  readonly reference?: string
  readonly status?: 'BOOK' | 'PDNG'
  readonly isReversal?: boolean
  readonly charges?: string
  readonly bookedOn?: string
}

/** A statement or notification of camt version 08. */
export interface StatementFacts {
  readonly id: string
  readonly sequence?: number
  readonly iban?: string
  /** EUR unless stated. */
  readonly currency?: string
  readonly opening: string
  /** Made of the opening and the booked entries unless stated. */
  readonly closing?: string
  readonly day?: string
  readonly page?: readonly [number, boolean]
  readonly isNotification?: boolean
  readonly isCopy?: boolean
  readonly entries: readonly EntryFacts[]
}

const cents = (text: string): number => Math.round(Number(text) * 100)
const decimal = (minor: number): string => (Math.abs(minor) / 100).toFixed(2)
const side = (minor: number): string => (minor < 0 ? 'DBIT' : 'CRDT')

/** The text of the file of a statement. */
export function statementXml(facts: StatementFacts): string {
  const { day = '2026-11-23', entries, iban = 'DE89370400440532013000', opening } = facts
  const moved = entries
    .filter(({ status }) => status !== 'PDNG')
    .reduce((sum, { amount }) => sum + cents(amount), 0)
  const closing = facts.closing ?? ((cents(opening) + moved) / 100).toFixed(2)
  const [message, part, version] =
    facts.isNotification === true
      ? ['BkToCstmrDbtCdtNtfctn', 'Ntfctn', 'camt.054.001.08']
      : ['BkToCstmrStmt', 'Stmt', 'camt.053.001.08']
  const [page, isLast] = facts.page ?? [1, true]
  const balances =
    facts.isNotification === true
      ? ''
      : `
${balance('OPBD', opening, day)}
${balance('CLBD', closing, day)}`
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}"><${message}>
<GrpHdr><MsgId>M</MsgId></GrpHdr><${part}><Id>${facts.id}</Id>
<StmtPgntn><PgNb>${page}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>
${facts.sequence === undefined ? '' : `<ElctrncSeqNb>${facts.sequence}</ElctrncSeqNb>`}
${facts.isCopy === true ? '<CpyDplctInd>DUPL</CpyDplctInd>' : ''}
<Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>${balances}
${entries.map((entry) => entryXml(entry, day)).join('\n')}
</${part}></${message}></Document>`
  return xml.replaceAll('EUR', facts.currency ?? 'EUR')
}

function balance(type: string, amount: string, day: string): string {
  const minor = cents(amount)
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${decimal(minor)}</Amt>
<CdtDbtInd>${side(minor)}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
}

function entryXml(entry: EntryFacts, day: string): string {
  const { amount, bookedOn = day, endToEndId, payer = 'BANK-DEMO ACQUIRING', status } = entry
  const minor = cents(amount)
  const refs = endToEndId === undefined ? '' : `<Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>`
  const text = entry.text === undefined ? '' : `<RmtInf><Ustrd>${entry.text}</Ustrd></RmtInf>`
  const charges =
    entry.charges === undefined
      ? ''
      : `<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">${entry.charges}</TtlChrgsAndTaxAmt></Chrgs>`
  return `<Ntry><Amt Ccy="EUR">${decimal(minor)}</Amt><CdtDbtInd>${side(minor)}</CdtDbtInd>
${entry.isReversal === true ? '<RvslInd>true</RvslInd>' : ''}
<Sts><Cd>${status ?? 'BOOK'}</Cd></Sts><BookgDt><Dt>${bookedOn}</Dt></BookgDt>
${entry.reference === undefined ? '' : `<AcctSvcrRef>${entry.reference}</AcctSvcrRef>`}
${charges}<NtryDtls><TxDtls>${refs}<RltdPties><Dbtr><Pty><Nm>${payer}</Nm></Pty></Dbtr></RltdPties>
${text}</TxDtls></NtryDtls></Ntry>`
}
