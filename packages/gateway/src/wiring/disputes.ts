import { join } from 'node:path'
import { BankBooksError, readControlAddress } from '../adapters/bank-control/bank-books.ts'
import { sendDisputeAnswer } from '../adapters/bank-control/bank-disputes.ts'
import { bankSecretOf } from '../adapters/bank-control/link-secret.ts'
import { watchProgrammes, watchRefusedNotices } from '../adapters/metrics/dispute-metrics.ts'
import { createAnswerQueue } from '../adapters/postgres/disputes/answer-queue.ts'
import { createRatioStore } from '../adapters/postgres/disputes/ratio-store.ts'
import { createDisputeWatchStore } from '../adapters/postgres/disputes/watch-store.ts'
import type { EvidenceSeal } from '../adapters/vault/evidence-seal.ts'
import { LONG_IDLE_EVERY_MS, type Job } from '../jobs/worker.ts'
import { sendAnswers, type QueuedAnswer } from '../usecases/disputes/send-answers.ts'
import { watchDisputes } from '../usecases/disputes/watch-disputes.ts'
import { createRatioWatch } from '../usecases/disputes/watch-ratios.ts'
import { openNoticeFetcher } from './dispute-notices.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'

const TALK_EVERY_MS = 5_000
const LOOK_EVERY_MS = 60_000
const COMPARE_EVERY_MS = 3_600_000

/**
 * Disputes: the jobs fetch the bundled bank's notices and send it the answers of merchants. They
 * find money without a case, cases without money, and answers that are late.
 */
export function wireDisputes(foundation: Foundation, evidence: EvidenceSeal): Part {
  const { clock, database, logger } = foundation
  const store = createDisputeWatchStore(database.files())
  return {
    jobs: [
      ...bankJobs(foundation, evidence),
      {
        name: 'watch disputes',
        everyMs: LOOK_EVERY_MS,
        async run() {
          const { overdue, raised } = await watchDisputes({ store, clock })
          if (overdue > 0) logger.warn({ overdue }, 'disputes passed their day of answer')
          if (raised > 0) logger.warn({ raised }, 'disputes and settlement files differ')
          return false
        },
      },
      ratioJob(foundation),
    ],
  }
}

function ratioJob({ clock, database, logger, metrics }: Foundation): Job {
  const watch = createRatioWatch({
    store: createRatioStore(database.files()),
    clock,
    onWarning: ({ merchantAccountId, month }, { percent, programme }) =>
      logger.warn(
        { account: merchantAccountId.toString(), month, programme: programme.name, percent },
        'a merchant account nears the limits of a monitoring programme',
      ),
  })
  watchProgrammes(metrics.registry, watch.percents)
  return {
    name: 'compare dispute ratios',
    everyMs: COMPARE_EVERY_MS,
    async run() {
      await watch.look()
      return false
    },
  }
}

function bankJobs(foundation: Foundation, evidence: EvidenceSeal): readonly Job[] {
  const { actor, clock, config, database, logger, metrics } = foundation
  // The node that runs a shared bank talks to it for all.
  if (config.bundledBank !== 'on') return []
  const { pool } = database
  const addressFile = join(config.dataDir, 'bank', 'control-address')
  const readSecret = bankSecretOf(config)
  const bank = { address: () => readControlAddress(addressFile), readSecret }
  const fetcher = openNoticeFetcher(pool, bank, {
    clock,
    by: actor,
    onRecorded: (account, count) =>
      logger.info({ account: account.toString(), count }, 'notices about disputes are recorded'),
    onRefused: (account, reason) =>
      logger.warn(
        { account: account.toString(), reason },
        'notices of the bundled bank about disputes are refused',
      ),
  })
  watchRefusedNotices(metrics.registry, fetcher.refusedCount)
  const queue = createAnswerQueue(pool, evidence.openNote)
  const send = () =>
    sendAnswers({
      queue,
      clock,
      send: (answer) => sendDisputeAnswer(bank.address(), readSecret, bankAnswerOf(answer)),
      onRefused: ({ disputeId }, reason) =>
        logger.warn(
          { dispute: disputeId.toString(), reason },
          'the bundled bank refused an answer to a dispute',
        ),
    })
  return [
    {
      name: 'fetch dispute notices',
      everyMs: TALK_EVERY_MS,
      idleEveryMs: LONG_IDLE_EVERY_MS,
      run: () => unlessAway(fetcher.fetch),
    },
    {
      name: 'send dispute answers',
      everyMs: TALK_EVERY_MS,
      idleEveryMs: LONG_IDLE_EVERY_MS,
      run: () => unlessAway(send),
    },
  ]
}

/** A merchant's answer as the bundled bank takes it. */
export function bankAnswerOf({ account, answer, caseId, files, id, text }: QueuedAnswer) {
  return {
    merchant: account,
    case: caseId,
    id: id.toString(),
    answer,
    text,
    files: files.map(({ bytes, name, sha256: hash, type }) => ({
      name,
      type,
      sha256: hash,
      bytes,
    })),
  }
}

async function unlessAway(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
  } catch (error) {
    // The bank is away, or not there yet. Other alarms say so.
    if (!(error instanceof BankBooksError)) throw error
  }
  return false
}
