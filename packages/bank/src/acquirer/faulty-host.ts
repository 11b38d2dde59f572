import { Iso8583Error, answerTo, encodePrivateData } from '@tollgate/iso8583'
import { frame, messageKey } from '@tollgate/iso8583'
import type { Codec, IsoMessage, LinkSession } from '@tollgate/iso8583'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Books } from '../books/books.ts'
import { cardOf, orderOf } from '../books/order.ts'
import type { Remembered } from '../books/order.ts'
import { findFault } from '../test-data/fault-amounts.ts'
import type { FaultRules } from './fault-rules.ts'
import { readAmount, readTags, stepOf, withField, withoutBitmap } from './fault-step.ts'
import type { Fault, FaultKind } from './fault.ts'
import type { Host } from './host.ts'
import { readOriginalKey } from './read-request.ts'
import { TestFaults } from './test-faults.ts'

export interface FaultyHostParts {
  readonly host: Host
  readonly books: Books
  readonly rules: FaultRules
  readonly codec: Codec
  /** Whether fault amounts have an effect; scripted faults always do. */
  readonly triggers: boolean
  /** How long the gateway waits for an answer. */
  readonly gatewayTimeoutMs: number
}

/** A STAN that the gateway never uses, so a wrong answer matches no request. */
const NO_STAN = '000000'
const RESET_AFTER_MS = 1_000
const STAND_IN_ADVICE_MS = 2_000

/** A connection that is to be reset, and whose answers are held back until then. */
interface Jam {
  /** Others that have to wait before the reset. */
  missing: number
}

/** The host with the faults that a message's amount or a scripted rule asks for. */
export class FaultyHost {
  readonly #parts: FaultyHostParts
  readonly #stopping = new AbortController()
  readonly #jams = new WeakMap<LinkSession, Jam>()
  /** Tries of advices that are not acknowledged yet, by message key. */
  readonly #tries = new Map<string, number>()
  readonly #unfinished = new Set<Promise<void>>()
  readonly #tests = new TestFaults()
  /** How many times each fault was done since the start. */
  readonly done = new Map<FaultKind, number>()

  constructor(parts: FaultyHostParts) {
    this.#parts = parts
  }

  /** As `Host.answer`; null as well if a fault leaves the message unanswered. */
  async answer(message: IsoMessage, session: LinkSession): Promise<IsoMessage | null> {
    const { host } = this.#parts
    const fault = this.#faultOf(message)
    if (fault !== null) {
      this.done.set(fault.kind, (this.done.get(fault.kind) ?? 0) + 1)
      host.noteFault(message, fault)
      return this.#withJam(session, await this.#misbehave(message, fault, session))
    }
    return this.#withJam(session, await host.answer(message))
  }

  /** Ends all waiting: messages that are held back are processed and answered now. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#unfinished)
  }

  async #misbehave(
    message: IsoMessage,
    fault: Fault,
    session: LinkSession,
  ): Promise<IsoMessage | null> {
    const { codec, gatewayTimeoutMs, host } = this.#parts
    switch (fault.kind) {
      case 'held_back':
        await this.#wait(fault.delayMs)
        return await host.answer(message)
      case 'late_start':
        await this.#wait(gatewayTimeoutMs + fault.delayMs)
        return await host.answer(message)
      case 'silent':
        if (fault.applied) await host.answer(message)
        return null
      case 'code':
        return await this.#answerWithCode(message, fault)
      case 'unacknowledged':
        return await this.#acknowledgeLate(message, fault.tries)
      default:
    }
    const answer = await host.answer(message, fault)
    if (answer === null) return null
    switch (fault.kind) {
      case 'slow':
        await this.#wait(fault.delayMs)
        return answer
      case 'late':
        await this.#wait(gatewayTimeoutMs + fault.delayMs)
        return answer
      case 'twice':
        session.write(answer)
        return answer
      case 'close':
        session.end()
        return null
      case 'torn': {
        const bytes = frame(codec.encode(answer))
        session.writeRaw(bytes.subarray(0, bytes.length >> 1))
        session.end()
        return null
      }
      case 'reset':
        await this.#jam(session, fault.others)
        return null
      case 'wrong_stan':
        return withField(answer, 11, NO_STAN)
      case 'wrong_amount':
        return withField(answer, 4, String(BigInt(answer.fields[4] ?? '0') + 1n).padStart(12, '0'))
      case 'wrong_bitmap':
        session.writeRaw(frame(withoutBitmap(codec.encode(answer))))
        return null
      case 'stand_in':
        if (answer.fields[39] === '00') this.#inBackground(this.#informIssuer(message))
        return answer
      default:
        return answer
    }
  }

  async #answerWithCode(
    message: IsoMessage,
    { advice, applied, code }: Extract<Fault, { kind: 'code' }>,
  ): Promise<IsoMessage | null> {
    const answer = applied ? await this.#parts.host.answer(message) : answerTo(message, {})
    if (answer === null) return null
    const answered = withField(answer, 39, code)
    if (advice === undefined) return answered
    const tags = { ...readTags(answered), MA: advice }
    return withField(answered, 48, encodePrivateData(tags))
  }

  async #acknowledgeLate(message: IsoMessage, tries: number): Promise<IsoMessage | null> {
    const key = messageKey(message)
    const count = (this.#tries.get(key) ?? 0) + 1
    this.#tries.set(key, count)
    const answer = await this.#parts.host.answer(message)
    if (count <= tries) return null
    this.#tries.delete(key)
    return answer
  }

  /** The issuer is available again, and receives what the network approved for it. */
  async #informIssuer(message: IsoMessage): Promise<void> {
    await this.#wait(STAND_IN_ADVICE_MS)
    this.#parts.host.noteFault(message, 'stand_in_advice')
  }

  async #jam(session: LinkSession, others: number): Promise<void> {
    this.#jams.set(session, { missing: others })
    await this.#wait(RESET_AFTER_MS)
    session.reset()
  }

  /** Holds an answer back where its connection is about to be reset. */
  #withJam(session: LinkSession, answer: IsoMessage | null): IsoMessage | null {
    const jam = this.#jams.get(session)
    if (jam === undefined) return answer
    jam.missing -= 1
    if (jam.missing <= 0) session.reset()
    return null
  }

  #faultOf(message: IsoMessage): Fault | null {
    const step = stepOf(message)
    if (step === null) return null
    const { rules, triggers } = this.#parts
    const asked = triggers ? this.#tests.faultOf(message, step) : undefined
    if (asked !== undefined) return asked
    const amount = readAmount(message)
    const known = step === 'request' ? undefined : this.#originalOf(message)
    if (rules.size > 0) {
      const scripted = rules.strike({
        mti: message.mti,
        merchant: (message.fields[42] ?? '').trim(),
        amount,
        last4: message.fields[2]?.slice(-4) ?? cardOf(known),
        initiation: step === 'request' ? (readTags(message)['CI'] ?? null) : null,
      })
      if (scripted !== null) return scripted
    }
    const order = orderOf(known)
    const decides = order?.authorized ?? (step === 'request' || known === undefined ? amount : null)
    if (decides === null || !triggers) return null
    return findFault(decides, message.fields[49] ?? '', step, message.mti[3] === '1')
  }

  #originalOf(message: IsoMessage): Remembered | undefined {
    try {
      return this.#parts.books.find(readOriginalKey(message))
    } catch (error) {
      // The host itself answers an unreadable message.
      if (error instanceof Iso8583Error) return undefined
      throw error
    }
  }

  async #wait(delayMs: number): Promise<void> {
    // Stopping ends the wait early, and is no error.
    await sleep(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }

  #inBackground(work: Promise<void>): void {
    this.#unfinished.add(work)
    void work.finally(() => this.#unfinished.delete(work))
  }
}
