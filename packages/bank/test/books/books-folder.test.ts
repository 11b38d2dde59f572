import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { appendFile, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { NO_HASH, sealRecord } from '../../src/books/journal-record.ts'
import type { JournalRecord, RecordDraft } from '../../src/books/journal-record.ts'
import { verifyJournal } from '../../src/books/verify-journal.ts'
import { createKeyedDigest } from '../../src/issuer/account-ids.ts'
import { GOOD_VISA, aBank, aCapture, aFolder, aRefund, aReversal } from '../support/test-bank.ts'
import { anAuthorization, messageKey, moneyOf } from '../support/test-bank.ts'

/** A folder with ten records and no bank on it. */
async function aUsedFolder(t: TestContext): Promise<string> {
  const folder = await aFolder(t)
  const bank = await aBank(t, folder)
  for (let round = 0; round < 3; round += 1) {
    const authorization = anAuthorization()
    await bank.send(authorization)
    await bank.send(aCapture(authorization, 600n))
    await bank.send(round === 2 ? aReversal(authorization) : aRefund(authorization, 100n))
  }
  await bank.close()
  return folder
}

async function linesOf(folder: string): Promise<string[]> {
  return (await readFile(join(folder, 'journal.jsonl'), 'utf8')).trimEnd().split('\n')
}

async function setLines(folder: string, lines: readonly string[]): Promise<void> {
  await writeFile(join(folder, 'journal.jsonl'), `${lines.join('\n')}\n`)
}

/** Seals changed records again, as someone would who knows how. */
function reseal(
  lines: readonly string[],
  change: (record: JournalRecord) => RecordDraft,
): string[] {
  let prev = NO_HASH
  return lines.map((line) => {
    const { hash: _old, ...record } = JSON.parse(line) as JournalRecord & { hash: string }
    const { seq } = record
    const sealed = sealRecord({ ...record, ...change(record), seq, prev })
    prev = sealed.hash
    return sealed.line
  })
}

test('a record has its number, the hash of the one before, its time and equal sides', async (t) => {
  const folder = await aUsedFolder(t)

  const lines = await linesOf(folder)

  assert.equal(lines.length, 10)
  assert.deepEqual(await verifyJournal(folder), { records: 10, problems: [], tornBytes: 0 })
  const first = JSON.parse(lines[1] ?? '') as JournalRecord
  assert.equal(first.seq, 2)
  assert.equal(first.kind, 'auth')
  assert.match(first.at, /^2026-03-14T12:00:00\.000Z$/)
  assert.deepEqual(first.postings, [
    ['D', 'cardholder', '1000'],
    ['C', 'hold', '1000'],
  ])
})

test('no card number and no security code stands in any file of the books', async (t) => {
  const folder = await aFolder(t)
  const bank = await aBank(t, folder)
  const cards = [GOOD_VISA, '378282246310005', '4000009000001050', '38520000023237']
  for (const pan of cards) {
    const code = pan.length === 15 ? '7391' : '739'
    const authorization = anAuthorization({ pan, tags: { CV: code } })
    await bank.send(authorization)
    await bank.send(aCapture(authorization, 100n))
    await bank.send(aRefund(authorization, 100n))
  }
  await bank.close()

  const files = await readdir(folder)
  assert.ok(files.includes('journal.jsonl') && files.includes('snapshot.jsonl'))
  for (const file of files) {
    const content = await readFile(join(folder, file), 'latin1')
    for (const pan of cards) assert.ok(!content.includes(pan), `${file} has a card number`)
    assert.doesNotMatch(content, /CV00[34]739/, `${file} has a security code`)
  }
})

test('the account key and the books are for their owner only', async (t) => {
  const folder = await aUsedFolder(t)

  for (const name of ['account-key', 'journal.jsonl', 'snapshot.jsonl']) {
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
  }
})

test('account ids are HMAC-SHA-256 for numbers and keys of any length that is used', () => {
  for (const length of [1, 32, 64]) {
    const key = Buffer.alloc(length, 7)
    const digest = createKeyedDigest(key)
    for (const text of ['4111111111111111', '378282246310005', '4'.repeat(64), 'x']) {
      assert.equal(digest(text), createHmac('sha256', key).update(text).digest('hex'))
    }
  }
})

test('a torn last line is cut off with a word about it, and the books go on', async (t) => {
  const folder = await aUsedFolder(t)
  const whole = await readFile(join(folder, 'journal.jsonl'), 'utf8')
  await appendFile(join(folder, 'journal.jsonl'), whole.split('\n')[1]?.slice(0, 200) ?? '')

  const bank = await aBank(t, folder)

  assert.match(bank.warnings.join(), /ended with 200 bytes of an unfinished record/)
  assert.equal(await readFile(join(folder, 'journal.jsonl'), 'utf8'), whole)
  await bank.send(anAuthorization())
  assert.deepEqual((await verifyJournal(folder)).problems, [])
})

test('a whole line without its line feed is torn too: no answer depended on it', async (t) => {
  const folder = await aUsedFolder(t)
  await rm(join(folder, 'snapshot.jsonl'))
  const { size } = await stat(join(folder, 'journal.jsonl'))
  await truncate(join(folder, 'journal.jsonl'), size - 1)

  const bank = await aBank(t, folder)

  assert.equal(bank.store.journal.end.seq, 9)
})

for (const place of [0, 4, 9]) {
  test(`a start is refused with the number of a changed line, ${place + 1} of 10`, async (t) => {
    const folder = await aUsedFolder(t)
    const lines = await linesOf(folder)
    lines[place] = (lines[place] ?? '').replace('2026-03-14', '2026-03-15')
    await setLines(folder, lines)

    const sentence = new RegExp(`Line ${place + 1} of the journal does not match`)
    await assert.rejects(aBank(t, folder), sentence)
    const { problems } = await verifyJournal(folder)
    assert.match(problems.join(), new RegExp(`Line ${place + 1} `))
  })
}

test('a start is refused when a line in the middle is gone', async (t) => {
  const folder = await aUsedFolder(t)
  const lines = await linesOf(folder)
  await setLines(folder, lines.toSpliced(5, 1))
  await rm(join(folder, 'snapshot.jsonl'))

  await assert.rejects(aBank(t, folder), /Line 6 of the journal does not follow the line before it/)
})

test('a start is refused when acknowledged records are missing at the end', async (t) => {
  const folder = await aUsedFolder(t)
  await setLines(folder, (await linesOf(folder)).slice(0, 8))

  await assert.rejects(aBank(t, folder), /records that were acknowledged are missing/)
})

test('a record whose sides differ is found even when it was sealed again', async (t) => {
  const folder = await aUsedFolder(t)
  const lines = reseal(await linesOf(folder), (record) =>
    record.seq === 3 ? { ...record, postings: record.postings.slice(1) } : record,
  )
  await setLines(folder, lines)
  await rm(join(folder, 'snapshot.jsonl'))

  await assert.rejects(aBank(t, folder), /Line 3 of the journal is wrong: The postings .* differ/)
  assert.match((await verifyJournal(folder)).problems.join(), /^Line 3: The postings/)
})

test('a capture that posts another amount than it states is found by its account', async (t) => {
  const folder = await aUsedFolder(t)
  const lines = reseal(await linesOf(folder), (record) =>
    record.seq === 3 ? { ...record, amount: '599' } : record,
  )
  await setLines(folder, lines)

  assert.match((await verifyJournal(folder)).problems.join(), /^Line 3: Account .* available/)
})

test('an unusable snapshot costs time and nothing else', async (t) => {
  const folder = await aUsedFolder(t)
  const path = join(folder, 'snapshot.jsonl')
  const good = await readFile(path, 'utf8')
  const before = await aBank(t, folder)
  const money = moneyOf(before, GOOD_VISA)
  assert.deepEqual(before.warnings, [])
  await before.close()

  for (const bad of [good.slice(0, -100), good.replace('"600"', '"601"'), 'nonsense', '']) {
    await writeFile(path, bad)
    const bank = await aBank(t, folder)

    assert.match(bank.warnings.join(), /snapshot .* cannot be used/)
    assert.deepEqual(moneyOf(bank, GOOD_VISA), money)
    await bank.close()
  }
})

test('two banks cannot have one folder, until the first of them is gone', async (t) => {
  const folder = await aFolder(t)
  const first = await aBank(t, folder)

  await assert.rejects(aBank(t, folder), /Another bank is using the folder/)
  await first.close()

  await (await aBank(t, folder)).close()
})

test('books without their key, or with another one, are not opened', async (t) => {
  const folder = await aUsedFolder(t)
  const path = join(folder, 'account-key')
  const key = await readFile(path, 'utf8')

  await writeFile(path, `${'0'.repeat(64)}\n`)
  await assert.rejects(aBank(t, folder), /is not the one that these books were made with/)
  await writeFile(path, 'half a key')
  await assert.rejects(aBank(t, folder), /does not hold 32 bytes in hexadecimal/)
  await rm(path)
  await assert.rejects(aBank(t, folder), /has a journal but no account-key/)
  await writeFile(path, key)
  await (await aBank(t, folder)).close()
})

test('an answer comes when its record stands in the journal, and not before', async (t) => {
  const folder = await aFolder(t)
  const bank = await aBank(t, folder)
  const keyed = Array.from({ length: 50 }, () => anAuthorization())

  await Promise.all(
    keyed.map(async (authorization) => {
      await bank.send(authorization)
      const journal = await readFile(join(folder, 'journal.jsonl'), 'utf8')
      assert.ok(journal.includes(`"key":"${messageKey(authorization)}"`))
    }),
  )
})

test('when the journal cannot be written, nothing is answered', async (t) => {
  const folder = await aFolder(t)
  const bank = await aBank(t, folder)
  await bank.send(anAuthorization())
  const { held } = moneyOf(bank, GOOD_VISA)
  const { seq } = bank.store.journal.end
  await bank.store.journal.close()

  await assert.rejects(bank.send(anAuthorization()))
  await assert.rejects(bank.send(anAuthorization()))

  assert.equal(bank.failures.length, 1)
  await bank.close()
  const next = await aBank(t, folder)
  assert.equal(moneyOf(next, GOOD_VISA).held, held)
  assert.equal(next.store.journal.end.seq, seq)
})
