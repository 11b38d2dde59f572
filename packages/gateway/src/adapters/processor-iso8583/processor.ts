import {
  compileProfile,
  createLinkClient,
  HOUSE_BCD_PROFILE,
  HOUSE_PROFILE,
  type BusyReason,
  type IsoMessage,
  type LinkClient,
  type LinkClientOptions,
  type LinkTls,
} from '@tollgate/iso8583'
import { isThrowaway } from '../../domain/merchants/throwaway-site.ts'
import type { LateAnswer } from '../../usecases/banks/late-answer.ts'
import type { LinkEndpoint, LinkProfile } from '../../usecases/banks/processor-links.ts'
import type { Processor } from '../../usecases/banks/processor.ts'
import type { BatchProcessor } from '../../usecases/books/batch-processor.ts'
import type { MerchantAccount } from '../../usecases/merchants/merchant-directory.ts'
import { readAdviceAnswer, readAuthorizationAnswer, readLateAnswer } from './answers.ts'
import {
  detailMessage,
  readDetailAnswer,
  readTotalsAnswer,
  totalsMessage,
} from './batch-messages.ts'
import { retrievalReference } from './message-identity.ts'
import { adviceMessage, authorizationMessage, entryMode } from './messages.ts'
import { costsConnection, sendAlone } from './own-connection.ts'

export interface ProcessorOptions extends LinkEndpoint {
  /** Institution id of this link, DE 32 of its management messages. */
  readonly acquirerId: string
  /** Whether the host is the test bank, the only one that may get the words of a test. */
  readonly isTestBank: boolean
  /** The secret of the bundled bank; other acquirers have none. */
  readonly signOnSecret?: () => string | null
  /** `isStop`: the link is down because it was stopped. */
  readonly onStateChange: (state: string, isStop: boolean) => void
  /** A merchant's message got no place on the link. It must not throw. */
  readonly onRefused: (merchantId: string, reason: BusyReason) => void
  /**
   * Answers without a waiting request. They are reported, and change nothing. It must not throw.
   */
  readonly onLateAnswer: (answer: LateAnswer) => void
  /** The bundled bank needs none of these. */
  readonly settings?: {
    readonly standby: LinkEndpoint | null
    readonly profile: LinkProfile
    readonly tls: LinkTls | null
    readonly window: number
    readonly echoIdleMs: number
    /** The shorter of this and the caller's limit is waited for an answer. */
    readonly messageTimeoutMs: number
  }
}

/** The bundled bank, or any host of the house profiles, over one multiplexed TCP link. */
export interface Iso8583Processor extends Processor, BatchProcessor {
  readonly link: LinkClient
}

/** Throws when the TLS settings cannot be used. */
export function createIso8583Processor(options: ProcessorOptions): Iso8583Processor {
  const { host, port, settings } = options
  const { standby = null, tls = null } = settings ?? {}
  const limitMs = settings?.messageTimeoutMs ?? Infinity
  const connection: LinkClientOptions = {
    host,
    port,
    ...(standby === null ? {} : { standby }),
    ...(tls === null ? {} : { tls }),
    codec: compileProfile(settings?.profile === 'house-bcd' ? HOUSE_BCD_PROFILE : HOUSE_PROFILE),
    acquirerId: options.acquirerId,
    ...(options.signOnSecret === undefined ? {} : { signOnSecret: options.signOnSecret }),
    onUnmatched: (message) => options.onLateAnswer(readLateAnswer(message)),
  }
  const link = createLinkClient({
    ...connection,
    onStateChange: (state, reason) => options.onStateChange(state, reason === 'stopped'),
    onRefused: options.onRefused,
    ...(settings === undefined
      ? {}
      : { window: settings.window, timing: { echoIdleMs: settings.echoIdleMs } }),
  })
  /** The link's places are shared among merchants. Throwaway sites share nothing. */
  const send = (message: IsoMessage, account: MerchantAccount, timeoutMs: number) =>
    options.isTestBank && isThrowaway(account)
      ? sendAlone(connection, message, Math.min(timeoutMs, limitMs))
      : link.send(message, Math.min(timeoutMs, limitMs), account.merchantId.toString())
  /** A test that costs the connection gets one of its own, and disturbs no other payment. */
  const sendTest = (message: IsoMessage, test: string, account: MerchantAccount, limit: number) =>
    costsConnection(test)
      ? sendAlone(connection, message, Math.min(limit, limitMs))
      : send(message, account, limit)
  return {
    link,
    retrievalReference,
    entryMode,

    async authorize(request, timeoutMs) {
      const { account, bankTest } = request
      // It would be an ordinary payment for any other bank.
      if (bankTest !== null && !options.isTestBank) return { kind: 'not_sent', reason: 'link_down' }
      const message = authorizationMessage(request)
      const reply =
        bankTest === null
          ? await send(message, account, timeoutMs)
          : await sendTest(message, bankTest, account, timeoutMs)
      if (reply.kind !== 'reply') return reply
      return readAuthorizationAnswer(reply.message, request)
    },

    async deliver(advice, timeoutMs) {
      // The test strikes the first copy only: the bank processes a repeat as usual.
      const bankTest = options.isTestBank && !advice.repeat ? advice.bankTest : null
      const message = adviceMessage({ ...advice, bankTest })
      const reply =
        bankTest === null
          ? await send(message, advice.account, timeoutMs)
          : await sendTest(message, bankTest, advice.account, timeoutMs)
      if (reply.kind !== 'reply') return reply
      return readAdviceAnswer(reply.message, advice)
    },

    async agreeTotals(request, timeoutMs) {
      const reply = await link.send(totalsMessage(request), Math.min(timeoutMs, limitMs))
      if (reply.kind !== 'reply') return reply
      return readTotalsAnswer(reply.message)
    },

    async readDetail(request, timeoutMs) {
      const reply = await link.send(detailMessage(request), Math.min(timeoutMs, limitMs))
      if (reply.kind !== 'reply') return reply
      return readDetailAnswer(reply.message)
    },
  }
}
