import type { LinkClient } from '@tollgate/iso8583'
import { bankSecretOf } from '../adapters/bank-control/link-secret.ts'
import { keepLateAnswer } from '../adapters/postgres/banks/late-answer-store.ts'
import { createProcessorLinkStore } from '../adapters/postgres/banks/processor-link-store.ts'
import {
  BUNDLED_BANK,
  createProcessorLinks,
  type ProcessorLinksOptions,
} from '../adapters/processor-iso8583/processor-links.ts'
import { createIso8583Processor } from '../adapters/processor-iso8583/processor.ts'
import { linkKeyBinding, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import type { LateAnswer } from '../usecases/banks/late-answer.ts'
import type { LinkStateView } from '../usecases/banks/processor-links.ts'
import type { Processor } from '../usecases/banks/processor.ts'
import { batchAgreementJobs } from './batch-agreement.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'

export interface Banks extends Part {
  /** Sends each message over its account's link. */
  readonly processor: Processor
  /** The bundled bank first, unless there is none, then every processor link in use. */
  linkStates(): LinkStateView[]
  /**
   * Waits a moment for the bundled bank, and for the links; says so when the bank is not reached.
   */
  start(): Promise<void>
}

/** How long a change of the processor links may take to be seen by every process. */
const READ_LINKS_EVERY_MS = 2_000
/** Readers ignore a report that is older than 15 seconds. */
const REPORT_IDLE_LINKS_MS = 10_000

/** A gateway without its bank still captures, refunds, voids and answers queries; so it starts. */
const WAIT_FOR_BANK_MS = 5_000

const REPORT_REFUSALS_EVERY_MS = 60_000

/** The bundled bank and the processor links. */
export function wireBanks(foundation: Foundation, seal: SecretSeal): Banks {
  const { config, logger, database, metrics, clock, processName } = foundation
  const onRefused = createRefusalReport(foundation)
  const onLateAnswer = (answer: LateAnswer): void => {
    metrics.countLateAnswer()
    logger.warn({ mti: answer.mti }, 'the bank sent an answer that matches no open request')
    keepLateAnswer(database.pool, answer, clock.now()).catch((error: unknown) =>
      logger.warn({ error: String(error) }, 'a late answer of the bank could not be stored'),
    )
  }
  const bank =
    config.bundledBank === 'off'
      ? null
      : createIso8583Processor({
          ...config.bank,
          acquirerId: config.bankInstitutionId,
          isTestBank: true,
          signOnSecret: bankSecretOf(config),
          onStateChange: (state) => logger.info({ state }, 'bank link'),
          onLateAnswer,
          onRefused: (...refused) => onRefused(BUNDLED_BANK, ...refused),
        })
  bank?.link.start()
  let saidNoBank = false
  const links = createProcessorLinks({
    bank,
    onNoBank() {
      // The queue retries advices without end: one line for each process is enough.
      if (saidNoBank) return
      saidNoBank = true
      logger.warn('a message of a test account has no way: no bundled bank runs here (BANK=off)')
    },
    openKey: (sealed, name) => seal.open(sealed, linkKeyBinding(name)),
    onStateChange: (link, state, lastError) =>
      logger[lastError === null ? 'info' : 'error']({ link, state, lastError }, 'processor link'),
    onLateAnswer,
    onRefused,
  })
  metrics.watchLinks(links.linkStates)
  const linkStore = createProcessorLinkStore(database.pool, processName)
  let reportedLinks = false
  /** Takes up what was changed of the links, and reports how they are. */
  const readLinks = async (): Promise<void> => {
    const inUse = await linkStore.findLinksInUse()
    await links.use(inUse)
    const states = links.linkStates()
    // Without a link there is nothing to report, except that the last report no longer holds.
    const hasLinks = states.some(({ linkId }) => linkId !== null)
    if (hasLinks || reportedLinks) await linkStore.reportStates(states)
    reportedLinks = hasLinks
  }

  return {
    processor: links,
    jobs: batchAgreementJobs(foundation, links),
    linkStates: links.linkStates,
    followers: [
      {
        name: 'processor links',
        everyMs: READ_LINKS_EVERY_MS,
        idleEveryMs: REPORT_IDLE_LINKS_MS,
        run: () => readLinks().then(() => false),
      },
    ],
    async start() {
      const reachBank = async (): Promise<boolean> =>
        bank === null || (await isUpWithin(bank.link, WAIT_FOR_BANK_MS))
      const [isUp] = await Promise.all([reachBank(), readLinks()])
      if (isUp) return
      logger.warn(
        { host: config.bank.host, port: config.bank.port },
        'the bank link is not up yet: payments fail with SERVICE 530 until it is',
      )
    },
    async stop() {
      await Promise.all([bank?.link.stop(), links.stop()])
    },
  }
}

/** One line a minute for each merchant and link: a crowd has thousands of messages refused. */
function createRefusalReport({
  logger,
  monotonicMs,
}: Pick<Foundation, 'logger' | 'monotonicMs'>): ProcessorLinksOptions['onRefused'] {
  const said = new Set<string>()
  let since = -Infinity
  return (link, merchantId, why) => {
    const now = monotonicMs()
    if (now - since >= REPORT_REFUSALS_EVERY_MS) {
      said.clear()
      since = now
    }
    const key = `${merchantId} ${link}`
    if (said.has(key)) return
    said.add(key)
    logger.warn({ link, merchantId, why }, 'messages of a merchant find no place on a link')
  }
}

async function isUpWithin(link: LinkClient, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limitMs)
  const isUp = await Promise.race([link.whenUp().then(() => true), late])
  clearTimeout(timer)
  return isUp
}
