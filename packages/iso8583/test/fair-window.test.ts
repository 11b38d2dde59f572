import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import { FairWindow } from '../src/fair-window.ts'
import type { BusyReason, Lane, LaneKind } from '../src/fair-window.ts'

/** One message of a sender; its number is its place in the sequence of that sender and kind. */
interface Message {
  readonly kind: LaneKind
  readonly sender: string
  readonly number: number
}

type Fate = 'sent' | 'waiting' | BusyReason

/** A window whose places are freed by hand. */
class Trial {
  readonly window: FairWindow<Message>
  readonly underWay: Message[] = []
  readonly queued: Message[] = []
  /** Everything that was sent, in sequence. */
  readonly sent: Message[] = []
  #number = 0

  constructor(places: number) {
    this.window = new FairWindow(places, (_lane, message) => {
      this.queued.splice(this.queued.indexOf(message), 1)
      this.#begin(message)
    })
  }

  arrive(sender: string, kind: LaneKind = 'request'): Fate {
    const message = { kind, sender, number: this.#number++ }
    const lane = this.window.lane(kind, sender)
    if (this.window.take(lane)) {
      this.#begin(message)
      return 'sent'
    }
    const busy = this.window.queue(lane, message)
    if (busy === null) this.queued.push(message)
    return busy ?? 'waiting'
  }

  arriveOften(times: number, sender: string, kind: LaneKind = 'request'): Record<Fate, number> {
    const fates = { sent: 0, waiting: 0, share: 0, window: 0 }
    for (let at = 0; at < times; at += 1) fates[this.arrive(sender, kind)] += 1
    return fates
  }

  answer(at: number): void {
    const [message] = this.underWay.splice(at, 1)
    if (message !== undefined) this.window.release(this.#lane(message))
  }

  answerTo(sender: string): void {
    this.answer(this.underWay.findIndex((message) => message.sender === sender))
  }

  giveUp(at: number): void {
    const [message] = this.queued.splice(at, 1)
    if (message !== undefined) this.window.withdraw(this.#lane(message), message)
  }

  held(sender: string, kind: LaneKind): number {
    return this.underWay.filter((one) => one.sender === sender && one.kind === kind).length
  }

  #lane({ kind, sender }: Message): Lane<Message> {
    return this.window.lane(kind, sender)
  }

  #begin(message: Message): void {
    this.underWay.push(message)
    this.sent.push(message)
    const { kind, sender } = message
    const held = this.underWay.filter((one) => one.sender === sender && one.kind === kind).length
    // Before it took this place, it held one less, and one more was free.
    assert.ok(held - 1 < this.window.free(kind) + 1, `${sender} holds ${held} places`)
  }
}

test('a sender alone fills half of what requests may use, and another is sent at once', () => {
  const trial = new Trial(512)

  // An eighth of 512 is closed to requests.
  assert.equal(trial.arriveOften(700, 'crowd').sent, 224)
  assert.equal(trial.arrive('other'), 'sent')
  assert.equal(trial.arriveOften(50, 'third').sent, 50)
})

test('eight senders that fill their shares one after the other leave a place for a ninth', () => {
  const trial = new Trial(512)
  const sent = [...'abcdefgh'].map((sender) => trial.arriveOften(600, sender).sent)

  assert.deepEqual(sent, [224, 112, 56, 28, 14, 7, 4, 2])
  assert.equal(trial.arrive('ninth'), 'sent')
  assert.equal(trial.arrive('tenth'), 'waiting')
})

test('messages are refused for their sender or for the window, as it is', () => {
  const trial = new Trial(8)
  // Half of seven places; then half of eight places in the queue.
  assert.deepEqual(trial.arriveOften(9, 'crowd'), { sent: 4, waiting: 4, share: 1, window: 0 })
  assert.deepEqual(trial.arriveOften(5, 'second'), { sent: 2, waiting: 2, share: 1, window: 0 })
  assert.deepEqual(trial.arriveOften(3, 'third'), { sent: 1, waiting: 1, share: 0, window: 1 })
})

test('requests leave room for advices, and advices for requests, however many senders there are', () => {
  const kinds = ['request', 'advice'] as const
  for (const [crowd, other] of [kinds, kinds.toReversed() as [LaneKind, LaneKind]]) {
    const trial = new Trial(64)
    for (let sender = 0; sender < 100; sender += 1) trial.arriveOften(5, `${sender}`, crowd)

    assert.equal(trial.underWay.length, 56)
    assert.equal(trial.arrive('other', crowd), 'window')
    assert.equal(trial.arrive('other', other), 'sent')
  }
})

test('waiting senders take turns for the places that become free', () => {
  const trial = new Trial(16)
  assert.equal(trial.arriveOften(7, 'crowd').sent, 7)
  for (let round = 0; round < 6; round += 1) for (const sender of ['a', 'b']) trial.arrive(sender)
  const sentBefore = trial.sent.length

  for (let answered = 0; answered < 7; answered += 1) trial.answerTo('crowd')

  const turns = trial.sent.slice(sentBefore).map(({ sender }) => sender)
  assert.equal(turns.join(' '), 'b a b a b')
})

test('an emptied queue returns everything that waited, and serves none of it', () => {
  const trial = new Trial(2)
  assert.deepEqual(trial.arriveOften(2, 'one'), { sent: 1, waiting: 1, share: 0, window: 0 })
  assert.deepEqual(
    trial.window.withdrawAll().map(({ sender }) => sender),
    ['one'],
  )
  trial.answer(0)

  assert.deepEqual([trial.underWay.length, trial.window.waiting, trial.window.held], [0, 0, 0])
  assert.equal(trial.arrive('one'), 'sent')
})

const senders = fc.constantFrom('a', 'b', 'c', 'd')
const kinds = fc.constantFrom<LaneKind>('request', 'advice')
const events = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ what: fc.constant('arrive'), sender: senders, kind: kinds }),
    },
    { weight: 3, arbitrary: fc.record({ what: fc.constant('answer'), at: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('give up'), at: fc.nat(50) }) },
  ),
  { maxLength: 150 },
)

test('at any time places are shared fairly, and nothing waits for a place that it may take', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 24 }), events, (places, story) => {
      const trial = new Trial(places)
      for (const event of story) {
        if ('kind' in event) trial.arrive(event.sender, event.kind)
        else if (event.what === 'answer') trial.answer(event.at % (trial.underWay.length || 1))
        else trial.giveUp(event.at % (trial.queued.length || 1))
        assertCounts(trial, places)
        assertNothingWaitsInVain(trial)
      }
      assertSequence(trial)
    }),
  )
})

function assertCounts({ window, underWay, queued }: Trial, places: number): void {
  assert.equal(window.held, underWay.length)
  assert.equal(window.waiting, queued.length)
  assert.ok(underWay.length <= places && queued.length <= places)
  for (const kind of ['request', 'advice']) {
    const ofKind = underWay.filter((message) => message.kind === kind).length
    assert.ok(ofKind <= places - Math.floor(places / 8), `${ofKind} of a kind`)
  }
}

function assertNothingWaitsInVain(trial: Trial): void {
  for (const { sender, kind } of trial.queued) {
    assert.ok(trial.held(sender, kind) >= trial.window.free(kind), `${sender} waits in vain`)
  }
}

function assertSequence({ sent }: Trial): void {
  const last = new Map<string, number>()
  for (const { sender, kind, number } of sent) {
    assert.ok(number > (last.get(`${sender} ${kind}`) ?? -1), 'a sender was overtaken by itself')
    last.set(`${sender} ${kind}`, number)
  }
}
