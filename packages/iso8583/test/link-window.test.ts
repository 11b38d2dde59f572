import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { InvariantError } from '../src/index.ts'
import type { IsoMessage, LinkClient, LinkClientOptions, LinkReply } from '../src/index.ts'
import { aBank, aClient, approval, signsOn } from './scripted-bank.ts'
import type { Script, ScriptedBank } from './scripted-bank.ts'
import { anAuthorization } from './support.ts'

const LONG_MS = 30_000
const BUSY: LinkReply = { kind: 'not_sent', reason: 'link_busy' }
const LINK_DOWN: LinkReply = { kind: 'not_sent', reason: 'link_down' }

interface Held {
  readonly bank: ScriptedBank
  readonly client: LinkClient
  /** Lets the bank answer the messages with these numbers. */
  answer(...stans: string[]): void
  drop(): void
  /** Sends the message with this number. */
  send(stan: string, sender: string): Promise<LinkReply>
  /** Resolves when the bank has the message. */
  arrived(stan: string): Promise<IsoMessage>
  readonly refused: string[]
}

/** A link, and a bank that answers only on request. */
async function held(t: TestContext, options: Partial<LinkClientOptions>): Promise<Held> {
  const answers = new Map<string | undefined, () => void>()
  let drop = (): void => undefined
  const holds: Script = (message, side) => {
    answers.set(message.fields[11], () => side.send(approval(message)))
    drop = side.drop
  }
  const bank = await aBank(t, signsOn(holds))
  const refused: string[] = []
  const client = aClient(t, bank.port, {
    ...options,
    onRefused: (sender, reason) => refused.push(`${sender} ${reason}`),
    timing: { placeTimeoutMs: LONG_MS, stopTimeoutMs: LONG_MS, ...options.timing },
  })
  await client.whenUp()
  return {
    bank,
    client,
    answer: (...stans) => stans.forEach((stan) => answers.get(stan.padStart(6, '0'))?.()),
    drop: () => drop(),
    send: (stan, sender) => client.send(anAuthorization(stan), LONG_MS, sender),
    arrived: (stan) => bank.next(({ fields }) => fields[11] === stan.padStart(6, '0')),
    refused,
  }
}

const numbersOf = ({ received }: ScriptedBank) =>
  received.filter(({ mti }) => mti === '0100').map(({ fields }) => Number(fields[11]))

test('a sender that fills its share delays no message of another sender', async (t) => {
  const link = await held(t, { window: 4 })
  const crowd = ['1', '2', '3', '4', '5'].map((stan) => link.send(stan, 'crowd'))
  const other = link.send('9', 'other')
  await link.arrived('9')

  assert.deepEqual(numbersOf(link.bank), [1, 2, 9])
  assert.deepEqual(link.client.status().waiting, 2)
  assert.deepEqual(link.refused, ['crowd share'])
  assert.deepEqual(await crowd[4], BUSY)
  link.answer('9')
  assert.equal((await other).kind, 'reply')

  // Each answer lets the next message of the crowd go.
  const third = link.arrived('3')
  link.answer('1')
  await third
  const fourth = link.arrived('4')
  link.answer('2')
  await fourth
  link.answer('3', '4')
  const kinds = (await Promise.all(crowd.slice(0, 4))).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['reply', 'reply', 'reply', 'reply'])
  assert.deepEqual(numbersOf(link.bank), [1, 2, 9, 3, 4])
})

test('a message that waits too long for its place is not sent', async (t) => {
  const link = await held(t, { window: 2, timing: { placeTimeoutMs: 10 } })
  const first = link.send('1', 'shop')
  const there = link.arrived('1')

  assert.deepEqual(await link.send('2', 'shop'), BUSY)
  await there
  link.answer('1')
  assert.equal((await first).kind, 'reply')
  const third = link.send('3', 'shop')
  await link.arrived('3')
  link.answer('3')
  await third

  assert.deepEqual(numbersOf(link.bank), [1, 3])
  assert.deepEqual(link.refused, ['shop share'])
  const { inFlight, waiting, refused } = link.client.status()
  assert.deepEqual(
    { inFlight, waiting, refused },
    {
      inFlight: 0,
      waiting: 0,
      refused: { share: 1, window: 0 },
    },
  )
})

test('advices find a place when payments use all of theirs', async (t) => {
  const link = await held(t, { window: 8 })
  for (let stan = 1; stan <= 7; stan += 1) void link.send(`${stan}`, `shop ${stan}`)
  void link.send('8', 'shop 8')
  const advice = { ...anAuthorization('9'), mti: '0220' }
  void link.client.send(advice, LONG_MS, 'shop 8')
  await link.arrived('9')

  assert.deepEqual(numbersOf(link.bank), [1, 2, 3, 4, 5, 6, 7])
})

test('a lost link sends nothing that waited, and loses only open messages', async (t) => {
  const link = await held(t, { window: 2 })
  const open = link.send('1', 'shop')
  const waiting = link.send('2', 'shop')
  await link.arrived('1')

  link.drop()

  assert.deepEqual(await open, { kind: 'unknown', reason: 'link_lost' })
  assert.deepEqual(await waiting, LINK_DOWN)
  await link.client.whenUp()
  void link.send('3', 'shop')
  await link.arrived('3')
  assert.deepEqual(numbersOf(link.bank), [1, 3])
})

test('stopping sends what waits before it ends', async (t) => {
  const link = await held(t, { window: 2 })
  const open = link.send('1', 'shop')
  const waiting = link.send('2', 'shop')
  await link.arrived('1')

  const stopped = link.client.stop()
  const second = link.arrived('2')
  link.answer('1')
  await second
  link.answer('2')

  assert.deepEqual([(await open).kind, (await waiting).kind], ['reply', 'reply'])
  await stopped
})

test('a waiting message whose identity is open is rejected, and its place is free again', async (t) => {
  const link = await held(t, { window: 4 })
  const open = [link.send('1', 'shop'), link.send('2', 'shop')]
  const rejected = assert.rejects(link.send('2', 'shop'), InvariantError)
  const last = link.send('3', 'shop')
  await link.arrived('2')
  const third = link.arrived('3')
  link.answer('1')
  await rejected
  await third
  link.answer('2', '3')

  const kinds = (await Promise.all([...open, last])).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['reply', 'reply', 'reply'])
  assert.equal(link.client.status().inFlight, 0)
})
