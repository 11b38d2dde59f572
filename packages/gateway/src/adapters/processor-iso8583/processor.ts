import { compileProfile, createLinkClient, HOUSE_PROFILE, type LinkClient } from '@tollgate/iso8583'
import type { LateAnswer } from '../../usecases/late-answer.ts'
import type { Processor } from '../../usecases/processor.ts'
import { readAdviceAnswer, readAuthorizationAnswer, readLateAnswer } from './answers.ts'
import { retrievalReference } from './message-identity.ts'
import { adviceMessage, authorizationMessage, entryMode } from './messages.ts'

export interface ProcessorOptions {
  readonly host: string
  readonly port: number
  /** Institution id of this link, DE 32 of its management messages. */
  readonly acquirerId: string
  readonly onStateChange: (state: string) => void
  /** Answers that nobody waits for. They are news, and change nothing. It must not throw. */
  readonly onLateAnswer: (answer: LateAnswer) => void
}

/** The bundled bank, or any host of the house profile, over one multiplexed TCP link. */
export interface Iso8583Processor extends Processor {
  readonly link: LinkClient
}

export function createIso8583Processor(options: ProcessorOptions): Iso8583Processor {
  const link = createLinkClient({
    host: options.host,
    port: options.port,
    codec: compileProfile(HOUSE_PROFILE),
    acquirerId: options.acquirerId,
    onStateChange: options.onStateChange,
    onUnmatched: (message) => options.onLateAnswer(readLateAnswer(message)),
  })
  return {
    link,
    retrievalReference,
    entryMode,

    async authorize(request, timeoutMs) {
      const reply = await link.send(authorizationMessage(request), timeoutMs)
      if (reply.kind !== 'reply') return reply
      return readAuthorizationAnswer(reply.message, request.amountMinor)
    },

    async deliver(advice, timeoutMs) {
      const reply = await link.send(adviceMessage(advice), timeoutMs)
      if (reply.kind !== 'reply') return reply
      return readAdviceAnswer(reply.message, advice.kind)
    },
  }
}
