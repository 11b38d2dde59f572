import {
  counterName,
  isCardDecline,
  rulesFor,
  subjectValue,
  type CardTestingPolicy,
  type CardTestingRule,
  type SubjectFacts,
} from '../../domain/card-testing/card-testing.ts'
import { customerIp } from '../../domain/card-testing/customer-ip.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import type { Resolved } from '../payments/resolve-payment.ts'
import type { TransactionView } from '../payments/transaction-view.ts'
import type { CardTestingStore, CounterQuestion } from './card-testing-store.ts'

/** The verdict of the site's rules on one payment. */
export interface Screening {
  /** The SERVICE code to decline it with; null lets it go on. */
  readonly refusedWith: number | null
  /** Takes the outcome of the payment; does not block. */
  ended(transaction: Pick<TransactionView, 'state' | 'codes' | 'orderId' | 'transactionId'>): void
}

/** Keeps a site from being used to find out which stolen cards work. */
export interface VelocityRules {
  /** Counts and judges the payment; null where no rule of the policy is about it. */
  screen(payment: Resolved, policy: CardTestingPolicy): Promise<Screening | null>
  /** Takes the outcome of a payment that an earlier request was checked for; does not block. */
  endedLater(
    payment: Judged,
    policy: CardTestingPolicy,
    transaction: Pick<TransactionView, 'state' | 'codes'>,
  ): void
}

/** A payment, whose number may still be under a token. */
type Judged = Omit<Resolved, 'pan'> & { readonly pan: CardNumber | null }

export interface CardTestingDeps {
  readonly store: CardTestingStore
  /** Keyed, and equal in every process; 32 hexadecimal digits. */
  readonly digest: (text: string) => string
  /** A payment was refused, or would have been. */
  readonly onHit: (siteId: bigint, refused: boolean, rules: readonly string[]) => void
}

export function createVelocityRules(deps: CardTestingDeps): VelocityRules {
  const { store, digest, onHit } = deps
  function countDecline(
    questions: readonly CounterQuestion[],
    { state, codes }: Pick<TransactionView, 'state' | 'codes'>,
  ): void {
    if (!isCardDecline(state, codes.service)) return
    const counted = questions.filter(({ rule }) => rule.counts === 'declines')
    if (counted.length > 0) store.countDeclines(counted)
  }

  return {
    endedLater: (payment, policy, transaction) =>
      countDecline(questionsAbout(payment, policy, digest), transaction),
    async screen(payment, policy) {
      const questions = questionsAbout(payment, policy, digest)
      if (questions.length === 0) return null
      const full = await store.judge(questions)
      const [first] = full
      if (first === undefined) {
        return {
          refusedWith: null,
          ended: (transaction) => countDecline(questions, transaction),
        }
      }
      const refused = policy.mode === 'enforce'
      return {
        // The first in the operator's sequence; the answer must not disclose how many rules
        // refused.
        refusedWith: refused ? first.code : null,
        // A refused payment would not have been declined by the bank either, so it is not counted.
        ended({ orderId, transactionId }) {
          const { site } = payment.command
          const rules = full.map(({ name }) => name)
          store.keepHit({ site, rules, refused, orderId, transactionId })
          onHit(site.id, refused, rules)
        },
      }
    },
  }
}

function questionsAbout(
  payment: Judged,
  { rules, exceptAddresses }: CardTestingPolicy,
  digest: (text: string) => string,
): CounterQuestion[] {
  const applied = applicableRules(payment, rules)
  if (applied.length === 0) return []
  const { site } = payment.command
  const facts = factsOf(payment)
  return applied.flatMap((rule) => {
    const value = subjectValue(rule, facts, exceptAddresses)
    if (value === null) return []
    const subject = digest(`${site.id} ${site.mode} ${counterName(rule)} ${value}`)
    const card = rule.counts === 'cards' ? digest(`${subject} ${payment.fingerprint}`) : null
    return [{ rule, subject, card }]
  })
}

function applicableRules(
  { command, saved, cvv }: Judged,
  rules: readonly CardTestingRule[],
): readonly CardTestingRule[] {
  const { card, kind, initiation } = command
  const falls = rulesFor({
    kind,
    savedCard: card.kind === 'saved',
    onFileElsewhere: card.kind === 'new' && card.onFileElsewhere,
    knownCard: saved !== null,
    securityCode: cvv !== null,
    ...initiation,
  })
  if (falls === 'all') return rules
  return falls === 'none' ? [] : rules.filter(({ subject }) => subject === 'card')
}

function factsOf({ command, pan, fingerprint, currency }: Judged): SubjectFacts {
  return {
    fingerprint,
    bin: pan === null ? null : pan.bin,
    address: customerIp(command.customer.ipAddress),
    currency: currency.code,
    amountMinor: command.totalMinor,
  }
}
