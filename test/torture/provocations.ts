import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { hear, type AnswerBook } from '../../tools/torture/answer-book.ts'
import { PASS, type Direction, type Fate } from '../../tools/torture/link.ts'
import type { Stage } from '../../tools/torture/stage.ts'
import { eventually } from '../support/eventually.ts'

/** Events on one link and at one worker that only a gateway or bank with the rule survives. */
export interface Provocation {
  readonly side: 'gateway' | 'bank'
  readonly rule: string
  /** A party that breaks the rule, to finish a test's name. */
  readonly without: string
  provoke(scene: Scene): Promise<void>
}

interface Scene {
  readonly stage: Stage
  readonly book: AnswerBook
}

const CARD = { cardNumber: '4111111111111111', expiry: '122040' }

export const PROVOCATIONS: readonly Provocation[] = [
  {
    side: 'gateway',
    rule: 'persist_before_send',
    without: 'a gateway that asks the bank before it writes down what it asks',
    async provoke(scene) {
      const link = watch(scene, (mti) => (mti === '0110' ? { kind: 'lose' } : PASS))
      const asked = authorize(scene)
      await link.seen('0110')
      scene.stage.workers[0]?.kill()
      await asked
    },
  },
  {
    side: 'gateway',
    rule: 'reversal_with_unknown',
    without: 'a gateway that fails what it does not know and does not reverse it',
    async provoke(scene) {
      watch(scene, (mti) => (mti === '0110' ? { kind: 'lose' } : PASS))
      await authorize(scene)
    },
  },
  {
    side: 'gateway',
    rule: 'repeat_until_acknowledged',
    without: 'a gateway that sends an advice only once',
    async provoke(scene) {
      const orderId = await authorize(scene)
      const link = watch(scene, (mti) => (mti === '0220' ? { kind: 'lose' } : PASS))
      await capture(scene, orderId)
      await link.seen('0220')
    },
  },
  {
    side: 'gateway',
    rule: 'late_approval_ignored',
    without: 'a gateway that lets a late approval take the queued reversal away',
    async provoke(scene) {
      watch(scene, (mti) => {
        if (mti === '0110') return { kind: 'delay', ms: 1_300 }
        return mti === '0420' ? { kind: 'lose' } : PASS
      })
      await authorize(scene)
      // The reversal is queued now; whether it was sent before the approval depends on the machine.
      // It may pass again once the gateway has met the late approval, or has believed it.
      const late = `select from late_answers where mti = '0110' and response_code = '00' union all
        select from advices where id = (select max(id) from advices) and state = 'acknowledged'`
      await eventually(
        'the gateway has met the late approval, or has believed it',
        async () => (await scene.stage.pool.query(late)).rowCount !== 0,
      )
    },
  },
  {
    side: 'bank',
    rule: 'tombstones',
    without: 'a bank that forgets a reversal which overtook its authorization',
    async provoke(scene) {
      const link = watch(scene, (mti) => (mti === '0100' ? { kind: 'delay', ms: 2_000 } : PASS))
      await authorize(scene)
      await link.seen('0430')
      await link.seen('0110')
    },
  },
  {
    side: 'bank',
    rule: 'repeats_from_memory',
    without: 'a bank that applies a repeated advice again',
    async provoke(scene) {
      const orderId = await authorize(scene)
      let lost = 0
      const link = watch(scene, (mti) => {
        if (mti !== '0230' || lost > 0) return PASS
        lost += 1
        return { kind: 'lose' }
      })
      await capture(scene, orderId)
      await link.seen('0221')
    },
  },
]

function shop({ stage }: Scene): SingleRequestClient {
  return createSingleRequestClient({
    baseUrl: stage.baseUrls[0] ?? '',
    username: 'demo@tollgate.test',
    password: 'Sandbox-4.14-demo',
    siteId: 1001,
  })
}

const PATIENCE_MS = 60_000
let references = 0

/** Asks for 100.00 and writes down what was heard. Gives the order's id, '' when there is none. */
async function authorize(scene: Scene): Promise<string> {
  references += 1
  const reference = `provocation-${references}`
  const asked = shop(scene).authorize({ ...CARD, amount: '100.00', orderReference: reference })
  const { heard, transaction } = await hear(asked)
  note(scene, { action: 'authorize', reference, orderId: '', heard })
  return transaction?.orderId ?? ''
}

async function capture(scene: Scene, orderId: string): Promise<void> {
  const { heard } = await hear(shop(scene).capture({ orderId, amount: '30.00' }))
  note(scene, { action: 'capture', reference: '', orderId, heard })
}

function note(
  { book }: Scene,
  entry: Pick<Parameters<AnswerBook['add']>[0], 'action' | 'reference' | 'orderId' | 'heard'>,
): void {
  book.add({ ...entry, atMs: book.now(), client: 0, worker: 0, key: '', replay: false })
}

/** Decides about the link's messages from now on. `seen` resolves once a type was on the link. */
function watch(
  { stage }: Scene,
  fate: (mti: string, direction: Direction) => Fate,
): { seen(mti: string): Promise<void> } {
  const seen = new Set<string>()
  const waiting = new Map<string, () => void>()
  stage.link.decide((mti, direction) => {
    seen.add(mti)
    waiting.get(mti)?.()
    return fate(mti, direction)
  })
  return {
    seen(mti) {
      if (seen.has(mti)) return Promise.resolve()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const late = new Error(`No message ${mti} was on the link within ${PATIENCE_MS / 1_000} s.`)
      const timer = setTimeout(() => reject(late), PATIENCE_MS)
      waiting.set(mti, () => {
        clearTimeout(timer)
        resolve()
      })
      return promise
    },
  }
}
