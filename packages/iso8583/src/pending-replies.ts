import type { IsoMessage } from './codec.ts'
import { invariant } from './invariant.ts'
import type { LinkReply } from './link-reply.ts'

interface Pending {
  readonly answerMti: string
  readonly resolve: (reply: LinkReply) => void
  readonly timer: NodeJS.Timeout
}

/** Pairs each answer with its request. One instance lives as long as one connection. */
export class PendingReplies {
  readonly #waiting = new Map<string, Pending>()
  #whenEmpty: (() => void)[] = []

  /**
   * The answer of this type under this pairing key, or `unknown` after the time-out. Throws
   * InvariantError when the key waits already: it is made of fields that we number ourselves.
   */
  wait(key: string, answerMti: string, timeoutMs: number): Promise<LinkReply> {
    invariant(!this.#waiting.has(key), 'a message was sent while another of its identity is open')
    return new Promise((resolve) => {
      // One timer each: Node keeps timers of one duration in one list. Setting and clearing one
      // costs less than encoding a field, and it is exact.
      const expire = () => this.#finish(key, { kind: 'unknown', reason: 'timeout' })
      const timer = setTimeout(expire, timeoutMs)
      this.#waiting.set(key, { answerMti, resolve, timer })
    })
  }

  /**
   * False when no request waits for it: a late or second answer, or the answer to another request.
   */
  deliver(key: string, message: IsoMessage): boolean {
    if (this.#waiting.get(key)?.answerMti !== message.mti) return false
    this.#finish(key, { kind: 'reply', message })
    return true
  }

  /** The connection is lost, so open messages may or may not have reached the peer. */
  loseAll(reason: 'link_lost' | 'reply_unreadable'): void {
    for (const key of this.#waiting.keys()) this.#finish(key, { kind: 'unknown', reason })
  }

  /** Resolves once nothing waits any more. */
  whenEmpty(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  #finish(key: string, reply: LinkReply): void {
    const pending = this.#waiting.get(key)
    if (pending === undefined) return
    this.#waiting.delete(key)
    clearTimeout(pending.timer)
    pending.resolve(reply)
    if (this.#waiting.size > 0) return
    const waiters = this.#whenEmpty
    this.#whenEmpty = []
    for (const resolve of waiters) resolve()
  }
}
