import { BankBooksError, readControlAddress } from '../adapters/bank-control/bank-books.ts'
import { sendDisputeAnswer } from '../adapters/bank-control/bank-disputes.ts'
import { createBankOperations } from '../adapters/bank-control/bank-operations.ts'
import { bankSecretOf } from '../adapters/bank-control/link-secret.ts'
import { bundledBankPlace } from '../adapters/bank-control/test-bank.ts'
import { createTransact } from '../adapters/postgres/audit/admin-transaction.ts'
import { createBatchStore } from '../adapters/postgres/books/batch-store.ts'
import { createAnswerQueue } from '../adapters/postgres/disputes/answer-queue.ts'
import { answerTx } from '../adapters/postgres/disputes/answer-rows.ts'
import { createExpiringOrders } from '../adapters/postgres/events/expiring-orders.ts'
import { createOperationStore } from '../adapters/postgres/sandbox/operation-store.ts'
import type { EvidenceSeal } from '../adapters/vault/evidence-seal.ts'
import { refused, type Result } from '../base/refusal.ts'
import { operationService } from '../http/sandbox/operation-service.ts'
import type { SandboxGateDeps } from '../http/sandbox/sandbox-gate.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import { createDisputeAnswers } from '../usecases/disputes/answer-dispute.ts'
import { sendAnswers } from '../usecases/disputes/send-answers.ts'
import type { OperationDeps } from '../usecases/sandbox/operation-ports.ts'
import {
  createPerformOperation,
  type PerformOperation,
} from '../usecases/sandbox/perform-operation.ts'
import { openNoticeFetcher, sha256 } from './dispute-notices.ts'
import { bankAnswerOf } from './disputes.ts'
import { pause, type Foundation } from './foundation.ts'
import type { Memberships } from './memberships.ts'
import type { Part } from './part.ts'
import type { Payments } from './payments.ts'
import { importOnce } from './settlement-fetch.ts'
import { fileBytes, newSha256 } from './settlement.ts'
import { isUnavailable } from './unavailable.ts'

export interface SandboxOperationNeeds {
  readonly evidence: EvidenceSeal
  readonly release: Payments['releaseExpired']
  readonly memberships: Memberships['operations']
  readonly access: Pick<SandboxGateDeps, 'authenticate' | 'allowRequest'>
  readonly wake: (job: string) => void
}

export interface SandboxOperations extends Part {
  readonly performOperation: PerformOperation
}

/** Operations of the bank, of issuers and of time at test sites, for programs and the portal. */
export function wireSandboxOperations(
  foundation: Foundation,
  needs: SandboxOperationNeeds,
): SandboxOperations {
  const { audit, config, database, monotonicMs } = foundation
  const { access, memberships, release, wake } = needs
  const batches = createBatchStore(database.pool)
  const performOperation = createPerformOperation(
    {
      store: createOperationStore(database.pool),
      bank: createBankOperations(bundledBankPlace(config), bankSecretOf(config)),
      async closeBatch({ merchantId }, accountId, { actor, address = '' }) {
        const filter = { merchantId, accountId, siteId: null, before: null, limit: 1 }
        const [open] = await batches.list({ ...filter, state: 'open' })
        if (open === undefined) return null
        const closed = await batches.close(merchantId, open.id, { actor, address })
        return closed.kind === 'closed' ? { batchId: open.id, nextId: closed.nextId } : null
      },
      importFiles: (accountId) =>
        unlessAway(() => importOnce(foundation, accountId, newSha256, fileBytes)),
      ...disputeOperations(foundation, needs.evidence),
      release,
      announceExpiry: createExpiringOrders(database.pool).announceOne,
      ...memberships,
      batchClosed: () => wake('agree batches'),
      monotonicMs,
      pause,
    },
    audit.append,
  )
  const service = { ...access, performOperation, isUnavailable }
  return { performOperation, routes: [programPlugin(config.publicUrl, operationService, service)] }
}

function disputeOperations(
  { actor, clock, config, database }: Foundation,
  evidence: EvidenceSeal,
): Pick<OperationDeps, 'fetchNotices' | 'answer'> {
  const { pool } = database
  const readSecret = bankSecretOf(config)
  const { addressFile } = bundledBankPlace(config)
  const address = (): string => readControlAddress(addressFile)
  const transact = createTransact(pool, (client) => answerTx(client, evidence, sha256))
  const queue = createAnswerQueue(pool, evidence.openNote)
  return {
    fetchNotices: (only) =>
      unlessAway(async () => {
        const report = { by: actor, clock, onRecorded: ignore, onRefused: ignore, only }
        await openNoticeFetcher(pool, { address, readSecret }, report).fetch()
        return {}
      }),
    answer: (site, id, { kind, text }, by) =>
      unlessAway(async () => {
        const answers = createDisputeAnswers(transact, clock, site.merchantId)
        const made = await (kind === 'accept'
          ? answers.accept(id, by)
          : answers.contest(id, text, by))
        if (!made.ok) return made
        const send = (answer: Parameters<typeof bankAnswerOf>[0]) =>
          sendDisputeAnswer(address(), readSecret, bankAnswerOf(answer))
        await sendAnswers({ queue, clock, send, onRefused: ignore })
        return {}
      }),
  }
}

const ignore = (): void => undefined

/** A refusal in place of the error while the bundled bank cannot be reached from here. */
async function unlessAway<Done extends object>(
  work: () => Promise<Done | Result<Done>>,
): Promise<Result<Done>> {
  try {
    const done = await work()
    return 'ok' in done ? done : { ok: true, ...done }
  } catch (error) {
    if (!(error instanceof BankBooksError)) throw error
    return refused('conflict', error.message, { code: 'bank_away' })
  }
}
