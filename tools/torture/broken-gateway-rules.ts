import type { ChangePorts, Ports } from '@tollgate/gateway/worker'

type PaymentStore = Ports['payments']
type Processor = Ports['processor']
type PaymentIntent = Parameters<PaymentStore['intend']>[0]

/**
 * The rules that make both books agree after any crash, each with a change that breaks it. The
 * torture run switches one off to show that it would notice, and so does the search for card data
 * that leaks. No shipped program has any of this.
 */
const BREAKS = {
  persist_before_send: sendBeforePersisting,
  reversal_with_unknown: forgetReversals,
  repeat_until_acknowledged: sendOnce,
  late_approval_ignored: believeLateApprovals,
  renewal_looked_for_first: chargeAnew,
  card_data_stays_inside: spillCardNumbers,
  faults_are_caught: throwWhereNobodyCatches,
} as const satisfies Record<string, ChangePorts>

/**
 * The change that breaks the rule. Throws when there is no such rule, or when the gateway would
 * handle real money.
 */
export function breakGatewayRule(
  rule: string,
  { MODE: mode = 'sandbox' }: Readonly<Record<string, string | undefined>>,
): ChangePorts {
  if (mode !== 'sandbox') throw new Error(`A rule is never broken where MODE is ${mode}.`)
  if (!Object.hasOwn(BREAKS, rule)) {
    const names = Object.keys(BREAKS).join(', ')
    throw new Error(`The rule to break is "${rule}"; it must be one of ${names}.`)
  }
  return BREAKS[rule as keyof typeof BREAKS]
}

/** The intent is written down only when the bank has answered. */
function sendBeforePersisting<Payments extends PaymentStore, Bank extends Processor>(
  ports: Ports<Payments, Bank>,
): Ports<Payments, Bank> {
  const { payments } = ports
  const unwritten = new Map<bigint, PaymentIntent>()
  return {
    ...ports,
    payments: {
      ...payments,
      intend: (intent) => {
        // A claim decides whether the bank is asked at all, and a decline does not ask.
        const mustBeKnown = intent.claim !== null || intent.declinedServiceCode !== null
        if (mustBeKnown) return payments.intend(intent)
        unwritten.set(intent.transactionId, intent)
        return Promise.resolve(true)
      },
      async conclude(conclusion) {
        const intent = unwritten.get(conclusion.transactionId)
        if (intent !== undefined) await payments.intend(intent)
        unwritten.delete(conclusion.transactionId)
        return payments.conclude(conclusion)
      },
    },
  }
}

/** An unknown outcome is concluded as failed, and nothing follows from it. */
function forgetReversals<Payments extends PaymentStore, Bank extends Processor>(
  ports: Ports<Payments, Bank>,
): Ports<Payments, Bank> {
  const { payments } = ports
  return {
    ...ports,
    payments: {
      ...payments,
      conclude: (conclusion) =>
        payments.conclude(
          conclusion.state === 'failed' ? { ...conclusion, advice: null } : conclusion,
        ),
    },
  }
}

/** An advice is sent once, and counts as done after any answer. */
function sendOnce<Payments extends PaymentStore, Bank extends Processor>(
  ports: Ports<Payments, Bank>,
): Ports<Payments, Bank> {
  const { advices } = ports
  return {
    ...ports,
    advices: { ...advices, postpone: (id, at) => advices.acknowledge(id, '00', at, null) },
  }
}

/** How long after its time-out an approval is still believed. */
const LATE_MS = 30_000

/** An approval that comes after its time-out takes the queued reversal away. */
function believeLateApprovals<Payments extends PaymentStore, Bank extends Processor>(
  ports: Ports<Payments, Bank>,
): Ports<Payments, Bank> {
  const { advices, processor } = ports
  const approvedLate = new Set<bigint>()
  return {
    ...ports,
    processor: {
      ...processor,
      async authorize(request, timeoutMs) {
        let isLate = false
        const answer = processor.authorize(request, timeoutMs + LATE_MS).then((outcome) => {
          if (isLate && outcome.kind === 'approved') approvedLate.add(request.message.number)
          return outcome
        })
        const timeout = Promise.withResolvers<{ kind: 'unknown'; reason: 'timeout' }>()
        const timer = setTimeout(() => {
          isLate = true
          timeout.resolve({ kind: 'unknown', reason: 'timeout' })
        }, timeoutMs)
        const outcome = await Promise.race([answer, timeout.promise])
        clearTimeout(timer)
        return outcome
      },
    },
    advices: {
      ...advices,
      async take(limit, now, until) {
        const due = await advices.take(limit, now, until)
        const removed = due.filter(
          ({ request }) => request.kind === 'reversal' && approvedLate.has(request.original.number),
        )
        for (const { id } of removed) await advices.acknowledge(id, '00', now, null)
        return due.filter((advice) => !removed.includes(advice))
      },
    },
  }
}

/** Ids that no sequence comes to. */
const FAR_IDS = 4_000_000_000_000_000n

/** A charge that is taken over is made as if it had not been started: under ids of its own. */
function chargeAnew<Payments extends PaymentStore, Bank extends Processor>(
  ports: Ports<Payments, Bank>,
): Ports<Payments, Bank> {
  const { renewals } = ports
  return {
    ...ports,
    renewals: {
      ...renewals,
      async takeOver(scope, limit) {
        const open = await renewals.takeOver(scope, limit)
        return open.map((each) => ({
          ...each,
          isTakenOver: false,
          identity: {
            orderId: each.identity.orderId + FAR_IDS,
            transactionId: each.identity.transactionId + FAR_IDS,
          },
        }))
      },
      // The record of the charge is closed all the same.
      conclude: (conclusion) => {
        const { orderId, transactionId } = conclusion.identity
        if (transactionId < FAR_IDS) return renewals.conclude(conclusion)
        const identity = { orderId: orderId - FAR_IDS, transactionId: transactionId - FAR_IDS }
        return renewals.conclude({ ...conclusion, identity })
      },
    },
  }
}

/** Each card number that goes to the bank is written to the log, as base64. */
function spillCardNumbers<Payments extends PaymentStore, Bank extends Processor>(
  ports: Ports<Payments, Bank>,
): Ports<Payments, Bank> {
  const { processor } = ports
  return {
    ...ports,
    processor: {
      ...processor,
      authorize(request, timeoutMs) {
        const sent = JSON.stringify({ number: request.pan.reveal() })
        process.stdout.write(`${JSON.stringify({ sent: Buffer.from(sent).toString('base64') })}\n`)
        return processor.authorize(request, timeoutMs)
      },
    },
  }
}

/** In minor units: an amount that is no trigger of the bank. */
const FAULTY_AMOUNT = 919_999n

/** A payment of that amount ends the process by an error that holds its card number all over. */
function throwWhereNobodyCatches<Payments extends PaymentStore, Bank extends Processor>(
  ports: Ports<Payments, Bank>,
): Ports<Payments, Bank> {
  const { processor } = ports
  return {
    ...ports,
    processor: {
      ...processor,
      authorize(request, timeoutMs) {
        if (request.amountMinor !== FAULTY_AMOUNT) return processor.authorize(request, timeoutMs)
        const number = request.pan.reveal()
        const cause = Object.assign(new Error(`in the cause: ${number}`), { detail: `(${number})` })
        const error = Object.assign(new Error(`refused ${number}`, { cause }), { number, request })
        setImmediate(() => {
          throw error
        })
        return new Promise(() => undefined)
      },
    },
  }
}
