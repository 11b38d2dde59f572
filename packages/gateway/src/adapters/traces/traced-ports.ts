import { originalMti } from '../../domain/payments/original-message.ts'
import type {
  AdviceOutcome,
  AuthorizationOutcome,
} from '../../domain/payments/processor-outcome.ts'
import type {
  AdviceRequest,
  AuthorizationRequest,
  Processor,
} from '../../usecases/banks/processor.ts'
import type { CardTokens } from '../../usecases/card-tokens/use-card-token.ts'
import type { RecordCharge } from '../../usecases/memberships/renew-memberships.ts'
import type { AdviceStore, DueAdvice } from '../../usecases/payments/advice-store.ts'
import type { PaymentStore } from '../../usecases/payments/payment-store.ts'
import type { ThreeDsServer } from '../../usecases/three-ds/three-ds-server.ts'
import type { CardVault } from '../../usecases/vault/card-vault.ts'
import type { Facts } from './trace.ts'
import type { Tracer } from './tracer.ts'

/** The same store; its calls for a payment are steps. */
export function tracedPayments<Store extends PaymentStore>(tracer: Tracer, store: Store): Store {
  return {
    ...store,
    findSavedCard: (...asked) => tracer.call('find card', () => store.findSavedCard(...asked)),
    findClaim: (site, reference) =>
      tracer.call('check reference', () => store.findClaim(site, reference)),
    intend: (intent) => tracer.call('write intent', () => store.intend(intent)),
    conclude: (conclusion) => tracer.call('write outcome', () => store.conclude(conclusion)),
  }
}

/** The same store; what it learns of an advice is a step of its delivery. */
export function tracedAdvices(tracer: Tracer, store: AdviceStore): AdviceStore {
  return {
    ...store,
    acknowledge: (...given) => tracer.call('write outcome', () => store.acknowledge(...given)),
    postpone: (...given) => tracer.call('write outcome', () => store.postpone(...given)),
  }
}

/** The same vault; what it does to a number is a step. */
export function tracedVault(tracer: Tracer, vault: CardVault): CardVault {
  return {
    ...vault,
    seal: (...asked) => tracer.call('seal card', () => vault.seal(...asked)),
    reveal: (...asked) => tracer.call('open card', () => vault.reveal(...asked)),
  }
}

/** The same tokens; the search for one and its use are steps. */
export function tracedTokens<Tokens extends CardTokens>(tracer: Tracer, tokens: Tokens): Tokens {
  return {
    ...tokens,
    find: (token, site) => tracer.call('find card', () => tokens.find(token, site)),
    take: (...asked) => tracer.call('open card', () => tokens.take(...asked)),
  }
}

/** The same server; its question to the issuer is a step. */
export function tracedIssuer(tracer: Tracer, server: ThreeDsServer): ThreeDsServer {
  return {
    ...server,
    authenticate: (question) => tracer.call('ask the issuer', () => server.authenticate(question)),
  }
}

/**
 * The same processor; its messages are steps.
 * @param linkName the name of a link; null for the bundled bank
 */
export function tracedProcessor<Bank extends Processor>(
  tracer: Tracer,
  processor: Bank,
  linkName: (linkId: bigint | null) => string,
): Bank {
  const messageFacts = (
    mti: string,
    { account, message }: Pick<AuthorizationRequest, 'account' | 'message'>,
    outcome: AuthorizationOutcome | AdviceOutcome,
    order: AuthorizationRequest['message'],
  ) => ({
    facts: {
      'tollgate.link': linkName(account.linkId),
      'tollgate.mti': mti,
      'tollgate.message': message.number.toString(),
      'tollgate.retrieval_reference': processor.retrievalReference(order),
      'tollgate.outcome': outcome.kind,
      ...outcomeFacts(outcome),
    },
    failed: outcome.kind === 'unknown' || outcome.kind === 'not_sent' || outcome.kind === 'refused',
  })
  return {
    ...processor,
    authorize: (request, timeoutMs) =>
      tracer.call(
        'ask the bank',
        () => processor.authorize(request, timeoutMs),
        (outcome) => messageFacts(originalMti(request.kind), request, outcome, request.message),
      ),
    deliver: (advice, timeoutMs) =>
      tracer.call(
        'send advice',
        () => processor.deliver(advice, timeoutMs),
        (outcome) => messageFacts(adviceMti(advice), advice, outcome, advice.order),
      ),
  }
}

function outcomeFacts(outcome: AuthorizationOutcome | AdviceOutcome): Facts {
  if ('reason' in outcome) return { 'tollgate.reason': outcome.reason }
  const code = 'answer' in outcome ? outcome.answer.responseCode : outcome.responseCode
  // A bank may send anything as DE 39.
  return { 'tollgate.response_code': /^[0-9A-Z]{2}$/.test(code) ? code : 'other' }
}

/** Repeats have the last digit one higher. */
function adviceMti({ kind, repeat }: AdviceRequest): string {
  return `0${kind === 'reversal' ? '42' : '22'}${repeat ? '1' : '0'}`
}

/** Records each delivery of an advice as a trace of its own. */
export function traceDelivery(
  tracer: Tracer,
): (advice: DueAdvice, work: () => Promise<void>) => Promise<void> {
  return ({ id, request, tries }, work) => {
    const facts: Record<string, string | number> = {
      'tollgate.advice_id': id.toString(),
      'tollgate.advice_kind': request.kind,
      'tollgate.tries': tries,
      'tollgate.merchant_id': request.account.merchantId.toString(),
      'tollgate.original_message': request.original.number.toString(),
    }
    return tracer.job(`deliver ${request.kind}`, facts, work)
  }
}

/** Records each charge of a membership as a trace of its own. */
export function traceRenewal(tracer: Tracer): RecordCharge {
  return ({ charge, identity, stored }, work) => {
    const facts: Record<string, string | number> = {
      'tollgate.membership_id': stored.id.toString(),
      'tollgate.attempt': charge.attempt,
      'tollgate.merchant_id': stored.merchantId.toString(),
      'tollgate.site_id': stored.siteId.toString(),
      'tollgate.order_id': identity.orderId.toString(),
      'tollgate.transaction_id': identity.transactionId.toString(),
    }
    return tracer.job('renew membership', facts, async () => {
      const report = await work()
      facts['tollgate.renewal'] = report.outcome.replaceAll(' ', '_')
      return report
    })
  }
}
