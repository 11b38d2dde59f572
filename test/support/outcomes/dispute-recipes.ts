import type { Fields } from './answer.ts'
import { approvedSale, operate } from './steps.ts'
import type { Sweep } from './sweep.ts'

/** Opens a case about a new sale, takes it through these operations, and notes each state. */
async function dispute(
  sweep: Sweep,
  event: string,
  ...steps: readonly (readonly [operation: string, members: Fields])[]
): Promise<void> {
  const { PO_ID: order } = await approvedSale(sweep)
  const opened = await operate(sweep, 'dispute', { order, event })
  noteState(sweep, opened)
  for (const [operation, members] of steps) {
    noteState(sweep, await operate(sweep, operation, { dispute: opened['dispute'], ...members }))
  }
}

function noteState({ see }: Sweep, { state }: Readonly<Record<string, unknown>>): void {
  see('dispute', String(state).toUpperCase())
}

const CONTEST = ['answer-dispute', { answer: 'contest', text: 'It was delivered.' }] as const
const ACCEPT = ['answer-dispute', { answer: 'accept' }] as const
const REJECTED = ['decide-dispute', { issuer: 'rejects' }] as const
const AGREED = ['decide-dispute', { issuer: 'accepts' }] as const

/** Cases that go through every state. */
export async function disputeInEveryWay(sweep: Sweep): Promise<void> {
  await dispute(sweep, 'chargeback', CONTEST, REJECTED, CONTEST, REJECTED)
  await dispute(sweep, 'chargeback', CONTEST, AGREED)
  await dispute(sweep, 'chargeback', ACCEPT)
  await dispute(sweep, 'inquiry', CONTEST, AGREED)
  await dispute(sweep, 'rapid_resolution')
  const { PO_ID: order } = await approvedSale(sweep)
  noteState(sweep, await operate(sweep, 'report-fraud', { order }))
}
