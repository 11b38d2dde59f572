import {
  compileProfile,
  createLinkClient,
  HOUSE_BCD_PROFILE,
  HOUSE_PROFILE,
  type BusyReason,
  type IsoMessage,
  type LinkClient,
  type LinkTls,
} from '@tollgate/iso8583'
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

export interface ProcessorOptions extends LinkEndpoint {
  /** Institution id of this link, DE 32 of its management messages. */
  readonly acquirerId: string
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
  const link = createLinkClient({
    host,
    port,
    ...(standby === null ? {} : { standby }),
    ...(tls === null ? {} : { tls }),
    codec: compileProfile(settings?.profile === 'house-bcd' ? HOUSE_BCD_PROFILE : HOUSE_PROFILE),
    acquirerId: options.acquirerId,
    ...(options.signOnSecret === undefined ? {} : { signOnSecret: options.signOnSecret }),
    onStateChange: (state, reason) => options.onStateChange(state, reason === 'stopped'),
    onUnmatched: (message) => options.onLateAnswer(readLateAnswer(message)),
    onRefused: options.onRefused,
    ...(settings === undefined
      ? {}
      : { window: settings.window, timing: { echoIdleMs: settings.echoIdleMs } }),
  })
  /** The link's places are shared among merchants. */
  const send = (message: IsoMessage, account: MerchantAccount, timeoutMs: number) =>
    link.send(message, Math.min(timeoutMs, limitMs), account.merchantId.toString())
  return {
    link,
    retrievalReference,
    entryMode,

    async authorize(request, timeoutMs) {
      const reply = await send(authorizationMessage(request), request.account, timeoutMs)
      if (reply.kind !== 'reply') return reply
      return readAuthorizationAnswer(reply.message, request)
    },

    async deliver(advice, timeoutMs) {
      const reply = await send(adviceMessage(advice), advice.account, timeoutMs)
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
