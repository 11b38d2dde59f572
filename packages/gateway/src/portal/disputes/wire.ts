import { createHash } from 'node:crypto'
import type pg from 'pg'
import { createTransact } from '../../adapters/postgres/audit/admin-transaction.ts'
import { answerTx, type EvidenceSealing } from '../../adapters/postgres/disputes/answer-rows.ts'
import {
  createDisputeReader,
  type EvidenceOpening,
} from '../../adapters/postgres/disputes/dispute-reader.ts'
import { createRatioStore } from '../../adapters/postgres/disputes/ratio-store.ts'
import type { Clock } from '../../base/clock.ts'
import { createDisputeAnswers } from '../../usecases/disputes/answer-dispute.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { disputesRoutes } from './routes/disputes-routes.ts'
import { createMovementPayouts } from './store/movement-payouts.ts'

interface DisputesParts {
  readonly database: { readonly pool: pg.Pool }
  readonly clock: Clock
  /** Encrypts and decrypts evidence. */
  readonly evidence: EvidenceSealing & EvidenceOpening
}

/** Disputes: read and answered by portal users. */
export function wireDisputePages({
  clock,
  database,
  evidence,
}: DisputesParts): readonly PortalRoute[] {
  const { pool } = database
  const transact = createTransact(pool, (client) => answerTx(client, evidence, sha256))
  const reader = createDisputeReader(pool, evidence)
  return disputesRoutes({
    reader,
    evidence: { reader, transact: createTransact(pool, () => ({})) },
    payouts: createMovementPayouts(pool),
    ratios: createRatioStore(pool),
    answersOf: (merchantId) => createDisputeAnswers(transact, clock, merchantId),
    clock,
  })
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
