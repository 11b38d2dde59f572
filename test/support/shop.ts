import { ClientError } from '@tollgate/client'
import type { SingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { untilSeen } from './eventually.ts'
import { payment } from './payments.ts'

/** A shop that goes on selling through failures, and keeps the answers. */
export interface Shop {
  readonly openedAt: Date
  /** Approved orders of 12.00 each, and the captured cents of each; null: unknown. */
  readonly approved: ReadonlyMap<string, number | null>
  /** Answers by what they said: a status, an API code, or 'not accepted' and 'unknown'. */
  readonly answers: ReadonlyMap<string, number>
  /** Resolves when so many more orders were approved. */
  untilApproved(more: number): Promise<void>
  /** Resolves when so many requests got another answer than APPROVED. */
  untilToldOtherwise(times?: number): Promise<void>
  close(): Promise<void>
}

const BETWEEN_TRIES_MS = 20

/** So many customers at once, each after the other: an authorization, and one capture. */
export function openShop(client: SingleRequestClient, customers: number): Shop {
  const approved = new Map<string, number | null>()
  const answers = new Map<string, number>()
  const openedAt = new Date()
  let isOpen = true
  const count = (answer: string): string => {
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
    return answer
  }

  async function told(
    ask: () => Promise<{ status: string; api: { code: string } }>,
  ): Promise<string> {
    try {
      const { status, api } = await ask()
      return count(status || `API ${api.code}`)
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      return count(error.accepted === 'no' ? 'not accepted' : 'unknown')
    }
  }

  async function customer(): Promise<void> {
    while (isOpen) {
      let orderId = ''
      const answer = await told(async () => {
        const order = await client.authorize(payment('12.00'))
        orderId = String(order.orderId)
        return order
      })
      if (answer === 'APPROVED') {
        approved.set(orderId, null)
        const captured = await told(() => client.capture({ orderId, amount: '5.00' }))
        if (captured === 'APPROVED') approved.set(orderId, 500)
        if (captured === 'not accepted') approved.set(orderId, 0)
      } else await pause()
    }
  }
  const all = Promise.all(Array.from({ length: customers }, customer))

  return {
    openedAt,
    approved,
    answers,
    async untilApproved(more) {
      const enough = approved.size + more
      await untilSeen(
        `${enough} authorizations are approved`,
        () => Promise.race([all, pause()]).then(() => approved.size),
        (seen) => seen >= enough,
      )
    },
    async untilToldOtherwise(times = 1) {
      const others = (): number =>
        [...answers].reduce((sum, [answer, n]) => (answer === 'APPROVED' ? sum : sum + n), 0)
      await untilSeen(
        `${times} customers get another answer than an approval`,
        () => Promise.race([all, pause()]).then(others),
        (seen) => seen >= times,
      )
    },
    async close() {
      isOpen = false
      await all
    },
  }
}

function pause(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, BETWEEN_TRIES_MS))
}
