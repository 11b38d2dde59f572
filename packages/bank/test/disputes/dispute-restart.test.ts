import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sealRecord } from '../../src/books/journal-record.ts'
import type { JournalRecord } from '../../src/books/journal-record.ts'
import { SNAPSHOT_NAME } from '../../src/books/snapshot.ts'
import { verifyJournal } from '../../src/books/verify-journal.ts'
import { MERCHANT, shown } from '../settlement/settling.ts'
import { aFolder } from '../support/test-bank.ts'
import { FIRST_DAY, aDisputingBank } from './disputing.ts'
import type { DisputingTestBank } from './disputing.ts'

/** A month of disputes: what is sold before, and what happens after. */
async function aMonth({ answer, close, make, pass, sell }: DisputingTestBank): Promise<void> {
  await sell(911_302n)
  await sell(911_322n, { brand: 'MASTERCARD' })
  await sell(911_312n)
  await close()
  await make()
  await answer('C-MERCHANT0001-1', 'winning_evidence', { id: 'A-1' })
  await answer('C-MERCHANT0001-3', 'escalate_evidence', { id: 'A-2' })
  await pass(1)
  await pass(2)
  await pass(40)
}

async function linesOf(folder: string): Promise<string[]> {
  return (await readFile(join(folder, 'journal.jsonl'), 'latin1')).trimEnd().split('\n')
}

/** The notices and the settlement files as their readers get them. */
async function seen({ notices, read, settlement }: DisputingTestBank): Promise<string> {
  const files: string[] = []
  for (const file of await settlement.list(new Set())) files.push((await read(file)).text)
  return JSON.stringify({ notices: notices(), files })
}

/** The kinds and amounts of each file. */
async function amounts({ read, settlement }: DisputingTestBank): Promise<string[][]> {
  const files: string[][] = []
  for (const file of await settlement.list(new Set())) files.push(shown(await read(file)))
  return files
}

for (const how of ['journal', 'snapshot'] as const) {
  test(`a start from the ${how} has the notices, cases, answers and money of before`, async (t) => {
    const folder = await aFolder(t)
    const before = await aDisputingBank(t, folder)
    await aMonth(before)
    const expected = await seen(before)
    await before.bank.close()
    if (how === 'journal') await rm(join(folder, SNAPSHOT_NAME))

    const after = await aDisputingBank(t, folder)

    assert.equal(await seen(after), expected)
    const again = await after.answer('C-MERCHANT0001-1', 'winning_evidence', { id: 'A-1' })
    assert.equal(again.answer, 'A-1')
    assert.equal(await seen(after), expected)
    assert.deepEqual((await verifyJournal(folder)).problems, [])
  })
}

test('a crash behind any record leaves steps that the next start completes alike', async (t) => {
  const folder = await aFolder(t)
  const whole = await aDisputingBank(t, folder)
  await aMonth(whole)
  const expected = whole.notices()
  const allFiles = await amounts(whole)
  await whole.bank.close()
  const lines = await linesOf(folder)
  const first = lines.findIndex((line) => line.includes('"step":"decided"'))
  for (let length = first + 1; length <= lines.length; length += 1) {
    await rm(join(folder, SNAPSHOT_NAME), { force: true })
    await writeFile(join(folder, 'journal.jsonl'), `${lines.slice(0, length).join('\n')}\n`)

    const after = await aDisputingBank(t, folder)

    const known = after.notices()
    // The planned cases are there at once; the rest are those that the journal has.
    assert.ok(known.length >= 4, `${length}`)
    const steps = lines.slice(0, length).filter((line) => line.includes('"kind":"dispute"'))
    assert.ok(known.length >= steps.length, `${length}`)
    assert.deepEqual(known, expected.slice(0, known.length), `${length}`)
    const files = await amounts(after)
    assert.deepEqual(files, allFiles.slice(0, files.length), `${length}`)
    await after.bank.close()
  }
})

test('a decision whose money is missing in the journal is found by the check of the journal', async (t) => {
  const folder = await aFolder(t)
  const { answer, bank, pass, raise, sell } = await aDisputingBank(t, folder)
  const { case: id } = await raise(await sell(1000n), 'chargeback')
  await answer(id, 'winning_evidence')
  await pass(1)
  await bank.close()
  const records = (await linesOf(folder)).map((line) => JSON.parse(line) as JournalRecord)
  const at = records.findIndex(({ dispute }) => dispute?.notices[0]?.event === 'won')
  const changed = records.map((record, index) =>
    index === at && record.dispute
      ? { ...record, dispute: { ...record.dispute, lines: [] } }
      : record,
  )
  let prev = '0'.repeat(64)
  const sealed = changed.map((record) => {
    const { hash: _old, ...rest } = record as JournalRecord & { hash: string }
    const next = sealRecord({ ...rest, prev })
    prev = next.hash
    return next.line
  })
  await writeFile(join(folder, 'journal.jsonl'), `${sealed.join('\n')}\n`)

  const { problems } = await verifyJournal(folder)

  assert.equal(problems.length, 1)
  assert.match(problems[0] ?? '', new RegExp(`^Line ${at + 1}: .*lines of a case`))
})

test('a record of the journal has the notice of a step together with its money', async (t) => {
  const folder = await aFolder(t)
  const { bank, raise, sell } = await aDisputingBank(t, folder)
  await raise(await sell(1000n), 'chargeback')
  await bank.close()

  const last = JSON.parse((await linesOf(folder)).at(-1) ?? '') as JournalRecord

  assert.equal(last.kind, 'dispute')
  assert.deepEqual(
    last.dispute?.lines.map(({ kind }) => kind),
    ['chargeback', 'dispute_fee'],
  )
  assert.equal(last.dispute?.notices[0]?.event, 'chargeback')
  assert.deepEqual(last.postings, [])
})

test('evidence is not in the journal', async (t) => {
  const folder = await aFolder(t)
  const { answer, bank, raise, sell } = await aDisputingBank(t, folder)
  const { case: id } = await raise(await sell(1000n), 'chargeback')
  const file = { name: 'letter.pdf', type: 'application/pdf', sha256: 'a'.repeat(64), bytes: 1 }
  await answer(id, 'Ms Smith of 1 High Street has signed.', { files: [file] })
  await bank.close()

  const journal = (await linesOf(folder)).join('\n')

  assert.doesNotMatch(journal, /Smith|letter|aaaaaaaa/)
})

test('a dispute of an order is decided after the books have forgotten the order', async (t) => {
  const folder = await aFolder(t)
  const { answer, bank, events, raise, sell, settlement } = await aDisputingBank(t, folder)
  const { case: id } = await raise(await sell(1000n), 'inquiry')
  await settlement.makeNow(MERCHANT, null, FIRST_DAY)
  await answer(id, 'losing_evidence')
  bank.nowMs += 400 * 86_400_000
  bank.store.books.forget(bank.nowMs)

  await settlement.makeDue()

  assert.equal(events().at(-1), 'chargeback 1')
})
