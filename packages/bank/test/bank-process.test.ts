import { HOUSE_PROFILE, compileProfile, frame } from '@tollgate/iso8583'
import type { IsoMessage, LinkClient } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBank } from '../src/bank.ts'
import { verifyJournal } from '../src/books/verify-journal.ts'
import { linkTo, portOf, spawnBank } from './support/bank-process.ts'
import { GOOD_VISA, NOON, aCapture, aFolder, aReversal, closeWith } from './support/test-bank.ts'
import { anAuthorization, messageKey, repeated } from './support/test-bank.ts'

const WAIT_MS = 10_000

async function ask(link: LinkClient, message: IsoMessage): Promise<IsoMessage> {
  const reply = await link.send(message, WAIT_MS)
  assert.equal(reply.kind, 'reply')
  if (reply.kind !== 'reply') throw new Error('unreachable')
  return reply.message
}

/** The sentence of its one log line, as under the supervisor. */
function reportedBy(bank: { stderr(): string }): string {
  const { level, msg } = JSON.parse(bank.stderr()) as {
    readonly level: number
    readonly msg: string
  }
  assert.equal(level, 60)
  return msg
}

test('the bank reports that it is ready, answers, and ends with 0 on a signal', async (t) => {
  const folder = await aFolder(t)
  const bank = spawnBank(t, { BANK_PORT: '0', DATA_DIR: folder })
  const port = await portOf(bank)
  const link = await linkTo(t, port)

  const answer = await ask(link, anAuthorization())
  bank.child.kill('SIGTERM')

  assert.equal(answer.fields[39], '00')
  assert.equal(await bank.ended, 0)
  assert.equal(bank.stderr(), '')
  const { controlUrl, threeDs, time, ...ready } = JSON.parse(bank.stdout()) as Record<
    string,
    string
  >
  const origin = { node: hostname(), pid: bank.child.pid }
  assert.deepEqual(ready, { level: 30, name: 'bank', ...origin, msg: 'bank ready', port })
  assert.equal(typeof time, 'number')
  assert.deepEqual(Object.keys(threeDs ?? {}), ['dsUrl', 'acsBackUrl', 'acsUrl', 'methodUrl'])
  assert.match(controlUrl ?? '', /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.deepEqual(await verifyJournal(join(folder, 'bank')), {
    records: 2,
    problems: [],
    tornBytes: 0,
  })
})

test('a stopping bank still answers open requests', async (t) => {
  const folder = await aFolder(t)
  const bank = spawnBank(t, { BANK_PORT: '0', DATA_DIR: folder })
  const link = await linkTo(t, await portOf(bank))

  const open = Array.from({ length: 200 }, () => link.send(anAuthorization(), WAIT_MS))
  await open[0]
  bank.child.kill('SIGTERM')
  const replies = await Promise.all(open)

  assert.equal(await bank.ended, 0)
  const answered = replies.filter(({ kind }) => kind === 'reply').length
  const { records } = await verifyJournal(join(folder, 'bank'))
  assert.equal(records, answered + 1)
})

test('the bank stops by itself when its parent is gone', async (t) => {
  const bank = spawnBank(t, { BANK_PORT: '0', DATA_DIR: await aFolder(t) })
  await portOf(bank)

  bank.child.disconnect()

  assert.equal(await bank.ended, 0)
})

test('a bank that cannot start states the reason in one sentence and ends with 1', async (t) => {
  const folder = await aFolder(t)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const takenPort = String((taken.address() as AddressInfo).port)
  const notAFolder = join(folder, 'file')
  await writeFile(notAFolder, '')
  const damaged = join(folder, 'damaged')
  await mkdir(join(damaged, 'bank'), { recursive: true })
  await writeFile(join(damaged, 'bank', 'account-key'), 'a'.repeat(64))
  await writeFile(join(damaged, 'bank', 'journal.jsonl'), 'nonsense\n')

  const cases = [
    [{ BANK_PORT: takenPort, DATA_DIR: folder }, /^The bank cannot listen on .* uses it\./],
    [{ BANK_PORT: '0', DATA_DIR: notAFolder }, /^The bank cannot make its folder /],
    [{ BANK_PORT: '0', DATA_DIR: damaged }, /Line 1 of the journal does not match its hash\./],
    [{ BANK_PORT: 'x', DATA_DIR: folder }, /^BANK_PORT is "x"; it must be a port number/],
    [
      { BANK_PORT: '0', BANK_CONTROL_PORT: takenPort, DATA_DIR: folder },
      /^The bank cannot listen on 127\.0\.0\.1 port \d+: .* choose another BANK_CONTROL_PORT\.$/m,
    ],
    [
      { BANK_PORT: '0', BANK_DS_PORT: takenPort, DATA_DIR: folder },
      /^The simulated 3-D Secure servers cannot listen .* Choose another BANK_DS_PORT\.$/m,
    ],
    [
      { BANK_PORT: '0', BANK_ACS_PORT: '0', BANK_TRIGGERS: 'off', DATA_DIR: folder },
      /^BANK_ACS_PORT can be set for the sandbox bank only/,
    ],
    [{ BANK_PORT: '65535', DATA_DIR: folder }, /^BANK_CONTROL_PORT is "65536"; it must be a port/],
  ] as const
  for (const [environment, sentence] of cases) {
    const bank = spawnBank(t, environment)

    assert.equal(await bank.ended, 1)
    assert.match(reportedBy(bank), sentence)
    assert.equal(bank.stderr().trim().split('\n').length, 1)
  }
})

test('a second process cannot lock the folder of a running bank', async (t) => {
  const folder = await aFolder(t)
  const first = spawnBank(t, { BANK_PORT: '0', DATA_DIR: folder })
  await portOf(first)

  const second = spawnBank(t, { BANK_PORT: '0', DATA_DIR: folder })

  assert.equal(await second.ended, 1)
  assert.match(reportedBy(second), /^Another bank is using the folder/)
  first.child.kill('SIGKILL')
  await first.ended
  await portOf(spawnBank(t, { BANK_PORT: '0', DATA_DIR: folder }))
})

test('kill -9 under traffic loses no answer that was given, and repeats get it again', async (t) => {
  const folder = await aFolder(t)
  const answered = new Map<IsoMessage, IsoMessage>()
  for (let round = 0; round < 3; round += 1) {
    const bank = spawnBank(t, { BANK_PORT: '0', DATA_DIR: folder })
    const link = await linkTo(t, await portOf(bank))
    for (const [message, answer] of answered) {
      assert.deepEqual(await ask(link, repeated(message)), answer)
    }
    const enough = Promise.withResolvers<void>()
    const target = answered.size + 400
    const shop = async () => {
      for (;;) {
        const authorization = anAuthorization({ minor: BigInt(1000 + (answered.size % 50)) })
        const isVoid = answered.size % 7 === 0
        const advice = isVoid ? aReversal(authorization) : aCapture(authorization, 1000n)
        for (const message of [authorization, advice]) {
          const reply = await link.send(message, WAIT_MS)
          if (reply.kind !== 'reply') return
          answered.set(message, reply.message)
          if (answered.size >= target) enough.resolve()
        }
      }
    }
    const shops = Promise.all(Array.from({ length: 32 }, shop))
    await enough.promise
    bank.child.kill('SIGKILL')
    await Promise.all([shops, bank.ended])
    await link.stop()
  }

  const report = await verifyJournal(join(folder, 'bank'))
  assert.deepEqual(report.problems, [])
  const journal = await readFile(join(folder, 'bank', 'journal.jsonl'), 'utf8')
  const kept = new Set(journal.split('\n').map((line) => /"key":"([^"]*)"/.exec(line)?.[1]))
  for (const message of answered.keys()) assert.ok(kept.has(messageKey(message)))
  assert.ok(!journal.includes(GOOD_VISA))
})

test('a link that has not signed on gets 58, and nothing is applied', async (t) => {
  const folder = await aFolder(t)
  const warnings: string[] = []
  const bank = await startBank({
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    folder,
    now: () => NOON,
    warn: (sentence) => warnings.push(sentence),
    onFatal: (error) => assert.fail(String(error)),
  })
  closeWith(folder, () => bank.stop())
  const codec = compileProfile(HOUSE_PROFILE)
  const socket = createConnection({ host: '127.0.0.1', port: bank.port })
  const asked = anAuthorization()

  socket.write(frame(codec.encode(asked)))
  const [bytes] = (await once(socket, 'data')) as [Buffer]

  assert.equal(codec.decode(bytes.subarray(2)).fields[39], '58')
  assert.equal(bank.books.find(messageKey(asked)), undefined)
  socket.write(Buffer.from([0, 1, 2, 3]))
  await once(socket, 'close')
  assert.match(warnings.join(), /^A link sent what is no message and was closed\./)
})
