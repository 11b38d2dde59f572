import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { readStatementFile } from '../../../src/adapters/settlement-files/camt-statement.ts'
import { StatementRefused } from '../../../src/adapters/settlement-files/camt-xml.ts'
import {
  checkBalance,
  joinPages,
  searchTexts,
  type BankStatement,
} from '../../../src/domain/settlement/bank-statement.ts'
import { fileOf } from './support/mapped-file.ts'

const PAGE = new URL('../../../../../docs/operators/settlement-statements.md', import.meta.url)
const EXAMPLE = /```xml\n([\s\S]*?)```/.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? ''
const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'

async function read(xml: string | Buffer): Promise<BankStatement> {
  const { pages } = await readStatementFile(fileOf(xml))
  assert.equal(pages.length, 1)
  const [page] = pages
  assert.ok(page)
  return page
}

function changed(from: string | RegExp, to: string): string {
  const xml = EXAMPLE.replace(from, to)
  assert.notEqual(xml, EXAMPLE, String(from))
  return xml
}

async function refusal(xml: string | Buffer): Promise<string> {
  try {
    await readStatementFile(fileOf(xml))
  } catch (error) {
    assert.ok(error instanceof StatementRefused, String(error))
    assert.doesNotMatch(error.message, /DE89370400440532013000/)
    return error.message
  }
  return 'read'
}

/** One more entry in front of the example's. */
function withEntry(entry: string): string {
  return changed('<Ntry>', `${entry}<Ntry>`)
}

function entryOf(amount: string, side: string, more = '', status = '<Cd>BOOK</Cd>'): string {
  return `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd>${more}<Sts>${status}</Sts></Ntry>`
}

test('the example of the page is read whole, and its balances fit', async () => {
  const statement = await read(EXAMPLE)
  assert.equal(statement.id, 'STMT-2026-226')
  assert.equal(statement.sequence, '226')
  assert.equal(statement.account.last4, '3000')
  assert.deepEqual([statement.openingMinor, statement.closingMinor], [100_000n, 116_111n])
  const [entry] = statement.entries
  assert.ok(entry)
  assert.deepEqual(
    [entry.amountMinor, entry.state, entry.bookedOn, entry.reference, entry.code],
    [16_111n, 'booked', '2026-11-23', '2026112300771144', 'PMNT/RCDT/ESCT'],
  )
  assert.deepEqual(searchTexts(entry), ['TG417EUR20261120', 'MA-1042BATCH417PO-417'])
  assert.equal(checkBalance(statement, 'standard').kind, 'balanced')
})

test('the number of the account is in nothing that the reader returns', async () => {
  const statement = await read(EXAMPLE)
  const text = JSON.stringify(statement, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  assert.doesNotMatch(text, /DE8937/)
})

test('all versions are read, with a prefix, CRLF and a byte order mark too', async () => {
  for (const version of ['02', '04', '06', '08', '13']) {
    let xml = EXAMPLE.replace('001.08', `001.${version}`)
    // Version 02 has the status as a code of its own, and later ones a choice.
    if (version === '02') xml = xml.replace('<Sts><Cd>BOOK</Cd></Sts>', '<Sts>BOOK</Sts>')
    assert.equal((await read(xml)).entries[0]?.state, 'booked', version)
  }
  const prefixed = EXAMPLE.replaceAll(/<(\/?)(\w)/g, '<$1ns2:$2').replace('xmlns=', 'xmlns:ns2=')
  const statement = await read(`\uFEFF${prefixed.replaceAll('\n', '\r\n')}`)
  assert.equal(statement.entries[0]?.amountMinor, 16_111n)
  const national = 'ISO:camt.053.001.02:APC:STUZZA:payments:003'
  const austrian = changed(NAMESPACE, national).replace(
    '<Sts><Cd>BOOK</Cd></Sts>',
    '<Sts>BOOK</Sts>',
  )
  assert.equal((await read(austrian)).entries.length, 1)
})

const REFUSED: readonly (readonly [from: string | RegExp, to: string, why: RegExp])[] = [
  [NAMESPACE, 'urn:iso:std:iso:20023:tech:xsd:camt.053.001.02', /iso:20023.*is not read/],
  [NAMESPACE, NAMESPACE.replace('08', '99'), /001.99" is not read/],
  ['<Document', '<!DOCTYPE Document [<!ENTITY a "b">]><Document', /DOCTYPE/],
  ['<Document', '<?stylesheet a?><Document', /processing instruction/],
  ['BATCH 417', '&lol;', /undefined entity/],
  ['encoding="UTF-8"', 'encoding="ISO-8859-1"', /encoding ISO-8859-1; expected UTF-8/],
  ['</Stmt>', '</Ntry>', /no well-formed XML/],
  [
    '<Amt Ccy="EUR">161',
    '<Amt Ccy="EUR" Ccy="USD">161',
    /no well-formed XML: .*duplicate attribute/,
  ],
  [/<\/Document>\s*$/, '', /no well-formed XML: .*unclosed tag/],
  ['<Sts><Cd>BOOK</Cd></Sts>', '<Sts><Cd>NOPE</Cd></Sts>', /status "NOPE"; expected BOOK/],
  ['161.11</Amt><CdtDbtInd>CRDT', '161.11</Amt><CdtDbtInd>PLUS', /CdtDbtInd "PLUS"/],
  ['>161.11</Amt>', '>161.115</Amt>', /amount "161.115"; expected at most 2 decimals/],
  ['>161.11</Amt>', '>1.6E2</Amt>', /the amount "1.6E2"/],
  ['>161.11</Amt>', '>-161.11</Amt>', /the amount "-161.11"/],
  ['<Amt Ccy="EUR">161', '<Amt Ccy="USD">161', /the currency USD; expected EUR/],
  ['<BookgDt><Dt>2026-11-23', '<BookgDt><Dt>2026-02-30', /BookgDt "2026-02-30"; expected a date/],
  ['BkToCstmrStmt>', 'BkToCstmrAcctRpt>', /has BkToCstmrAcctRpt\/Stmt/],
  ['<Cd>CLBD', '<Cd>OPBD', /two balances of the type OPBD/],
  ['<LastPgInd>true', '<LastPgInd>maybe', /LastPgInd "maybe"/],
  ['MA-1042 BATCH', 'x'.repeat(70_000), /longer than 64 KiB/],
  ['<RmtInf>', `<RmtInf>${'<Strd>'.repeat(40)}`, /more than 32 deep/],
]

test('each damage of a statement is refused with what was found', async () => {
  for (const [from, to, why] of REFUSED) {
    assert.match(await refusal(changed(from, to)), why, `${String(from)} to ${to.slice(0, 80)}`)
  }
  assert.match(await refusal(Buffer.from(EXAMPLE, 'utf16le')), /not UTF-8|well-formed/)
  assert.match(await refusal(''), /well-formed|no statement/)
})

test('an intraday report is refused by its name', async () => {
  const xml = EXAMPLE.replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt').replaceAll('Stmt>', 'Rpt>')
  assert.match(await refusal(xml), /found BkToCstmrAcctRpt\/Rpt|has BkToCstmrAcctRpt\/Rpt/)
})

test('only booked entries count for the balance; pending and information do not', async () => {
  const more =
    entryOf('5.00', 'CRDT', '', '<Cd>PDNG</Cd>') + entryOf('7.00', 'DBIT', '', '<Cd>INFO</Cd>')
  const statement = await read(withEntry(more))
  assert.deepEqual(
    statement.entries.map(({ state }) => state),
    ['pending', 'information', 'booked'],
  )
  assert.equal(checkBalance(statement, 'standard').kind, 'balanced')
})

test('a statement whose entries do not make its closing balance is refused with the amounts', async () => {
  const check = checkBalance(await read(withEntry(entryOf('1.50', 'DBIT'))), 'standard')
  assert.equal(check.kind, 'refused')
  assert.match(
    check.kind === 'refused' ? check.reason : '',
    /make 1159.61; its closing balance is 1161.11/,
  )
})

test('inverted reversals are named, and read only where the account has the setting', async () => {
  // The bank gives the direction of the reversed entry: 20.00 came back, and is marked as a debit.
  const xml = withEntry(entryOf('20.00', 'DBIT', '<RvslInd>true</RvslInd>')).replace(
    '1161.11',
    '1181.11',
  )
  const statement = await read(xml)
  const standard = checkBalance(statement, 'standard')
  assert.equal(standard.kind === 'refused' && standard.wouldFit, 'inverted')
  const inverted = checkBalance(statement, 'inverted')
  assert.ok(inverted.kind === 'balanced')
  assert.equal(inverted.entries[0]?.amountMinor, 2_000n)
})

test('the previous closing balance opens a statement that has no opening one', async () => {
  assert.equal((await read(changed('<Cd>OPBD', '<Cd>PRCD'))).openingMinor, 100_000n)
  const available = await read(changed('<Cd>OPBD', '<Cd>OPAV'))
  assert.equal(available.openingMinor, null)
  assert.equal(checkBalance(available, 'standard').kind, 'refused')
})

test('the indicator of a detail does not change the direction of its entry', async () => {
  const statement = await read(
    changed(
      '161.11</Amt><CdtDbtInd>CRDT</CdtDbtInd>\n<RltdPties>',
      '161.11</Amt><CdtDbtInd>DBIT</CdtDbtInd>\n<RltdPties>',
    ),
  )
  assert.equal(statement.entries[0]?.amountMinor, 16_111n)
})

test('an entry may have no details, many, or details in another currency', async () => {
  assert.deepEqual((await read(withEntry(entryOf('0.00', 'CRDT')))).entries[0]?.details, [])
  const detail = /<TxDtls>[\s\S]*<\/TxDtls>/.exec(EXAMPLE)?.[0] ?? ''
  const half = detail.replace('161.11', '80.00')
  const rest = detail.replace('161.11', '81.11').replace('EndToEndId>TG417', 'EndToEndId>TG418')
  const two = await read(changed(detail, half + rest))
  assert.deepEqual(
    two.entries[0]?.details.map(({ amountMinor }) => amountMinor),
    [8_000n, 8_111n],
  )
  const foreign = await read(changed(detail, detail.replace('Ccy="EUR"', 'Ccy="USD"')))
  assert.equal(foreign.entries[0]?.details[0]?.amountMinor, null)
})

test('details of a collective entry that do not add up to it are refused', async () => {
  const detail = /<TxDtls>[\s\S]*<\/TxDtls>/.exec(EXAMPLE)?.[0] ?? ''
  const half = detail.replace('161.11', '80.00')
  const batch = '<Btch><NbOfTxs>2</NbOfTxs></Btch>'
  assert.match(await refusal(changed(detail, batch + half + half)), /details of 16000 minor units/)
})

test('a trace id that the bank split over lines is found', async () => {
  const split = changed(
    '<Ustrd>MA-1042 BATCH 417 PO-417</Ustrd>',
    '<Ustrd>BATCH TG417EUR</Ustrd><Ustrd> 2026 1120</Ustrd>',
  ).replace('TG417EUR20261120</EndToEndId>', 'NOTPROVIDED</EndToEndId>')
  const [entry] = (await read(split)).entries
  assert.ok(entry)
  assert.deepEqual(searchTexts(entry), ['BATCHTG417EUR20261120'])
})

test('charges inside of an entry are kept, which explain a short deposit', async () => {
  const xml = changed(
    '<NtryDtls>',
    '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">1.50</TtlChrgsAndTaxAmt></Chrgs><NtryDtls>',
  )
  assert.equal((await read(xml)).entries[0]?.chargesMinor, 150n)
})

test('a copy is marked, whichever kind of copy it is', async () => {
  for (const kind of ['DUPL', 'CODU', 'COPY']) {
    const xml = changed('<Acct>', `<CpyDplctInd>${kind}</CpyDplctInd><Acct>`)
    assert.equal((await read(xml)).isCopy, true)
  }
  assert.equal((await read(EXAMPLE)).isCopy, false)
})

test('pages are joined only when each is there once, and balance together', async () => {
  const numbered = (page: number, isLast: boolean): string =>
    EXAMPLE.replace('<PgNb>1', `<PgNb>${page}`).replace('<LastPgInd>true', `<LastPgInd>${isLast}`)
  const first = await read(numbered(1, false).replace('<Cd>CLBD', '<Cd>ITBD'))
  const second = await read(
    numbered(2, true).replace('<Cd>OPBD', '<Cd>ITBD').replace('1161.11', '1322.22'),
  )
  const { statements } = joinPages([second, first])
  assert.equal(statements.length, 1)
  assert.deepEqual(
    statements[0]?.entries.map(({ position }) => position),
    [1, 2],
  )
  assert.equal(statements[0] && checkBalance(statements[0], 'standard').kind, 'balanced')
  assert.match(joinPages([second]).faults.join(), /has the pages 2; expected 1 to the last one/)
  assert.match(joinPages([first]).faults.join(), /has the pages 1;/)
  assert.match(joinPages([first, first, second]).faults.join(), /has the pages 1, 1, 2;/)
})

test('a file may have statements of several accounts and currencies', async () => {
  const statement = /<Stmt>[\s\S]*<\/Stmt>/.exec(EXAMPLE)?.[0] ?? ''
  const other = statement
    .replaceAll('EUR"', 'JPY"')
    .replaceAll(/(\d+)\.\d\d<\/Amt>/g, '$1</Amt>')
    .replace('<Ccy>EUR', '<Ccy>JPY')
    .replace('DE89370400440532013000', 'DE75512108001245126199')
    .replace('STMT-2026-226', 'STMT-2026-9')
  const { pages } = await readStatementFile(fileOf(changed('</Stmt>', `</Stmt>${other}`)))
  assert.deepEqual(
    pages.map(({ account, closingMinor, currency }) => [
      account.last4,
      currency.code,
      closingMinor,
    ]),
    [
      ['3000', 'EUR', 116_111n],
      ['6199', 'JPY', 1_161n],
    ],
  )
})

test('a notification announces entries without balances', async () => {
  const xml = EXAMPLE.replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn')
    .replaceAll('Stmt>', 'Ntfctn>')
    .replace('camt.053', 'camt.054')
    .replaceAll(/<Bal>.*<\/Bal>\n/g, '')
  const statement = await read(xml)
  assert.equal(statement.kind, 'notification')
  assert.equal(statement.entries[0]?.amountMinor, 16_111n)
})

test('unknown elements, and those of other namespaces, are skipped and counted', async () => {
  const xml = changed(
    '<NtryRef>',
    '<Amt2><Amt Ccy="EUR">5.00</Amt></Amt2><x:Amt xmlns:x="urn:x" Ccy="EUR">9.00</x:Amt><NtryRef>',
  )
  const { pages, skipped } = await readStatementFile(fileOf(xml))
  assert.equal(pages[0]?.entries[0]?.amountMinor, 16_111n)
  const { skipped: before } = await readStatementFile(fileOf(EXAMPLE))
  assert.equal(skipped - before, 3)
})

test('any bytes are read or refused, never with another error', async () => {
  const damage = fc.tuple(
    fc.nat(EXAMPLE.length),
    fc.nat(60),
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('<', '>', '&', '<Ntry>'),
    ),
  )
  await fc.assert(
    fc.asyncProperty(damage, async ([at, length, text]) => {
      await refusal(EXAMPLE.slice(0, at) + text + EXAMPLE.slice(at + length))
    }),
    { numRuns: 100 },
  )
})
