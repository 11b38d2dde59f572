import { FrameReader, HOUSE_PROFILE, compileProfile, frame } from '@tollgate/iso8583'
import type { IsoMessage, LinkReply } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Bank } from '../../src/bank.ts'
import { verifyJournal } from '../../src/books/verify-journal.ts'
import { FAULT_AMOUNTS, findFault } from '../../src/test-data/fault-amounts.ts'
import { ask, openLink, startTestBank } from '../support/running-bank.ts'
import { aCapture, aRefund, aReversal, anAuthorization, messageKey } from '../support/test-bank.ts'
import { repeated } from '../support/test-bank.ts'

/** How long a message is waited for that is not answered. */
const IN_VAIN_MS = 60
const LOST_CARD = '4000009000000417'

function heldFor({ books }: Bank, message: IsoMessage): bigint | null {
  const order = books.find(messageKey(message))
  return order?.kind === 'auth' ? order.approved - order.captured : null
}

function code({ fields }: IsoMessage): string | undefined {
  return fields[39]
}

function whyUnknown(reply: LinkReply): string {
  return reply.kind === 'unknown' ? reply.reason : reply.kind
}

async function faultsIn(folder: string): Promise<string[]> {
  const journal = await readFile(join(folder, 'journal.jsonl'), 'utf8')
  const records = journal
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { fault?: string })
  return records.flatMap(({ fault }) => fault ?? [])
}

suite('the fault amounts', () => {
  test('9100.nn is answered later than the message behind it', async (t) => {
    const { bank } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const sequence: string[] = []

    const slow = ask(link, anAuthorization({ minor: 910_005n })).then((answer) => {
      sequence.push('slow')
      return answer
    })
    await ask(link, anAuthorization()).then(() => sequence.push('other'))

    assert.equal(code(await slow), '00')
    assert.deepEqual(sequence, ['other', 'slow'])
  })

  test('9101.nn is never answered, and holds the amount only when nn is even', async (t) => {
    const { bank } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const even = anAuthorization({ minor: 910_100n })
    const odd = anAuthorization({ minor: 910_101n })

    for (const message of [even, odd]) {
      assert.equal(whyUnknown(await link.send(message, IN_VAIN_MS)), 'timeout')
    }
    // A later message is answered, so the bank has processed these.
    await ask(link, anAuthorization())

    assert.equal(heldFor(bank, even), 910_100n)
    assert.equal(heldFor(bank, odd), null)
    assert.equal(code(await ask(link, aReversal(even))), '00')
    assert.equal(code(await ask(link, aReversal(odd))), '25')
    assert.equal(heldFor(bank, even), 0n)
    assert.equal(bank.books.find(messageKey(odd))?.kind, 'tombstone')
  })

  test('9102.nn is answered after the time-out of the gateway', async (t) => {
    const { bank } = await startTestBank(t, { gatewayTimeoutMs: IN_VAIN_MS })
    const { link, nextUnmatched } = await openLink(t, bank)
    const message = anAuthorization({ minor: 910_201n })

    assert.equal(whyUnknown(await link.send(message, IN_VAIN_MS)), 'timeout')

    const late = await nextUnmatched()
    assert.equal(code(late), '00')
    assert.equal(messageKey(late), messageKey(message))
    assert.equal(heldFor(bank, message), 910_201n)
  })

  test('9103.nn is answered twice with the same', async (t) => {
    const { bank } = await startTestBank(t)
    const { link, nextUnmatched } = await openLink(t, bank)
    const message = anAuthorization({ minor: 910_300n })

    const first = await ask(link, message)

    assert.equal(code(first), '00')
    assert.deepEqual(await nextUnmatched(), first)
    assert.equal(heldFor(bank, message), 910_300n)
  })

  test('9104.nn closes the connection, and the amount is held', async (t) => {
    const { bank } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const message = anAuthorization({ minor: 910_400n })

    assert.equal(whyUnknown(await link.send(message, 10_000)), 'link_lost')

    assert.equal(heldFor(bank, message), 910_400n)
    await link.whenUp()
    assert.equal(code(await ask(link, aReversal(message))), '00')
  })

  test('9105.nn ends in the middle of the answer, and the amount is held', async (t) => {
    const { bank } = await startTestBank(t)
    const codec = compileProfile(HOUSE_PROFILE)
    const socket = createConnection({ host: '127.0.0.1', port: bank.port })
    const message = anAuthorization({ minor: 910_500n })
    const signOn = { 7: '0314120000', 11: '999999', 32: '400001', 41: 'TERM0001', 70: '001' }
    socket.write(frame(codec.encode({ mti: '0800', fields: signOn })))
    await once(socket, 'data')
    const reader = new FrameReader()
    socket.on('data', (bytes: Buffer) => assert.deepEqual(reader.push(bytes), []))

    socket.write(frame(codec.encode(message)))
    await once(socket, 'close')

    assert.equal(reader.isBetweenMessages, false)
    assert.equal(heldFor(bank, message), 910_500n)
  })

  test('9106.nn takes 50 others with it, whose amounts are held', async (t) => {
    const { bank } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const messages = [910_600n, ...Array.from({ length: 50 }, () => 1000n)].map((minor) =>
      anAuthorization({ minor }),
    )

    const replies = await Promise.all(messages.map((message) => link.send(message, 10_000)))

    assert.deepEqual(new Set(replies.map(whyUnknown)), new Set(['link_lost']))
    for (const message of messages) assert.notEqual(heldFor(bank, message), null)
  })

  test('9106.nn without others resets its connection all the same', async (t) => {
    const { bank } = await startTestBank(t)
    const { link } = await openLink(t, bank)

    const reply = await link.send(anAuthorization({ minor: 910_600n }), 10_000)

    assert.equal(whyUnknown(reply), 'link_lost')
  })

  test('9107.nn answers with a wrong STAN, a wrong amount or a broken bitmap', async (t) => {
    const { bank } = await startTestBank(t)
    const { link, nextUnmatched } = await openLink(t, bank)
    const [stan, amount, bitmap] = [910_700n, 910_701n, 910_702n].map((minor) =>
      anAuthorization({ minor }),
    )
    assert.ok(stan && amount && bitmap)

    assert.equal(whyUnknown(await link.send(stan, IN_VAIN_MS)), 'timeout')
    assert.equal((await nextUnmatched()).fields[11], '000000')
    assert.equal((await ask(link, amount)).fields[4], '000000910702')
    assert.equal(whyUnknown(await link.send(bitmap, 10_000)), 'reply_unreadable')

    assert.equal(heldFor(bank, stan), 910_700n)
    assert.equal(heldFor(bank, amount), 910_701n)
    assert.equal(heldFor(bank, bitmap), 910_702n)
  })

  test('9108.00 is looked at so late that its reversal comes first', async (t) => {
    const { bank } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const message = anAuthorization({ minor: 910_800n })

    const answer = ask(link, message)
    assert.equal(code(await ask(link, aReversal(message))), '25')

    assert.equal(code(await answer), '21')
    assert.equal(heldFor(bank, message), null)
  })

  test('messages that are held back are processed and answered when the bank stops', async (t) => {
    const { bank } = await startTestBank(t, { gatewayTimeoutMs: 60_000 })
    const { link } = await openLink(t, bank)
    const answers = [910_801n, 910_099n, 910_299n].map((minor) =>
      ask(link, anAuthorization({ minor })),
    )
    await ask(link, anAuthorization())

    await bank.stop()

    for (const answer of answers) assert.equal(code(await answer), '00')
  })

  test('9109.nn is acknowledged the third time that an advice is sent, and booked once', async (t) => {
    const { bank } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const message = anAuthorization({ minor: 910_900n })
    await ask(link, message)

    for (const advice of [aCapture(message, 5000n), aRefund(message, 2000n), aReversal(message)]) {
      assert.equal(whyUnknown(await link.send(advice, IN_VAIN_MS)), 'timeout')
      assert.equal(whyUnknown(await link.send(repeated(advice), IN_VAIN_MS)), 'timeout')
      assert.equal(code(await ask(link, repeated(advice))), '00')
    }

    const order = bank.books.find(messageKey(message))
    assert.ok(order?.kind === 'auth')
    assert.deepEqual([order.captured, order.refunded], [5000n, 2000n])
    assert.equal(heldFor(bank, message), 0n)
  })

  test('9110.nn answers reversals with 21 and 25 and does them, with 76 and 96 and waits', async (t) => {
    const { bank } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    for (const [minor, expected, held] of [
      [911_000n, '21', 0n],
      [911_001n, '25', 0n],
      [911_002n, '76', 911_002n],
      [911_003n, '96', 911_003n],
      [911_004n, '21', 0n],
    ] as const) {
      const message = anAuthorization({ minor })
      await ask(link, message)
      const reversal = aReversal(message)

      assert.equal(code(await ask(link, reversal)), expected)
      assert.equal(heldFor(bank, message), held)
      assert.equal(code(await ask(link, repeated(reversal))), '00')
      assert.equal(heldFor(bank, message), 0n)
    }
  })

  test('9111.nn is decided without the issuer, which is notified when the bank stops at the latest', async (t) => {
    const { bank, folder } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const below = anAuthorization({ minor: 911_149n, pan: LOST_CARD })
    const above = anAuthorization({ minor: 911_150n })

    const approved = await ask(link, below)
    const declined = await ask(link, above)
    await bank.stop()

    assert.deepEqual([code(approved), approved.fields[44]], ['00', '4UU0'])
    assert.equal(heldFor(bank, below), 911_149n)
    assert.equal(code(declined), '91')
    assert.equal(heldFor(bank, above), null)
    assert.deepEqual(await faultsIn(folder), [
      'stand_in approves=true',
      'stand_in approves=false',
      'stand_in_advice',
    ])
  })

  test('9112.nn takes captures and marks them for the settlement file, for good', async (t) => {
    const first = await startTestBank(t)
    const { folder } = first
    const { link } = await openLink(t, first.bank)
    const message = anAuthorization({ minor: 911_200n })
    const marked = aCapture(message, 911_200n)
    const other = anAuthorization()
    const unmarked = aCapture(other, 1000n)
    for (const sent of [message, marked, other, unmarked]) {
      assert.equal(code(await ask(link, sent)), '00')
    }
    await first.bank.stop()

    const isMarked = ({ books }: Bank, capture: IsoMessage) => {
      const movement = books.find(messageKey(capture))
      return movement?.kind === 'capture' && movement.rejectedInSettlement
    }
    const fromSnapshot = await startTestBank(t, { folder })
    assert.ok(isMarked(fromSnapshot.bank, marked))
    assert.ok(!isMarked(fromSnapshot.bank, unmarked))
    await fromSnapshot.bank.stop()
    await rm(join(folder, 'snapshot.jsonl'))
    const fromJournal = await startTestBank(t, { folder })
    assert.ok(isMarked(fromJournal.bank, marked))
    assert.ok(!isMarked(fromJournal.bank, unmarked))
  })

  test('the journal has each injected fault in front of the record of its message', async (t) => {
    const { bank, folder } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const message = anAuthorization({ minor: 910_300n, merchant: 'SHOP1' })
    await ask(link, message)
    await bank.stop()

    const lines = (await readFile(join(folder, 'journal.jsonl'), 'utf8')).split('\n')
    const { kind, mti, key, merchant, fault } = JSON.parse(lines[1] ?? '') as Record<string, string>
    assert.deepEqual(
      { kind, mti, key, merchant, fault },
      { kind: 'fault', mti: '0100', key: messageKey(message), merchant: 'SHOP1', fault: 'twice' },
    )
    assert.deepEqual(await verifyJournal(folder), { records: 3, problems: [], tornBytes: 0 })
  })

  test('the fault amounts count only in currencies with two decimals, and only between 9100.00 and 9112.99', () => {
    for (const { amount, steps } of FAULT_AMOUNTS) {
      const minor = BigInt(`${amount.slice(0, 4)}00`)
      const [step] = steps
      assert.ok(step !== undefined)
      assert.notEqual(findFault(minor, '840', step, false), null, amount)
      assert.notEqual(findFault(minor + 99n, '978', step, false), null, amount)
      assert.equal(findFault(minor, '392', step, false), null, amount)
      assert.equal(findFault(minor, '414', step, false), null, amount)
    }
    for (const step of ['request', 'capture', 'refund', 'reversal'] as const) {
      assert.equal(findFault(909_999n, '840', step, false), null)
      assert.equal(findFault(911_300n, '840', step, false), null)
    }
  })
})
