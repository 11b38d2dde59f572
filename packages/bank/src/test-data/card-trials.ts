import { ACCOUNT_STATES } from './test-card.ts'
import type { TestCard } from './test-card.ts'
import { approved, atOnce, declined, elsewhere, PLAIN_AMOUNT } from './trial.ts'
import type { Trial, TrialAnswer, TrialPayment } from './trial.ts'

const PUBLISHED_CAVV = 'AAABBEg0VhI0VniQEjRWAAAAAAA='
const WRONG_CODE = '999'
const ELSEWHERE = { street: '9 Elsewhere', postalCode: '99999' }

/** The payments that show what the row of a test card says. */
export function cardTrials(card: TestCard): readonly Trial[] {
  const usesUpADay =
    card.funds?.restored === 'daily' ||
    card.limits?.approvalsPerDay !== undefined ||
    card.limits?.perDay !== undefined
  const trials = [
    atOnce('', paymentOf(card), firstAnswer(card)),
    ...moneyTrials(card),
    ...insistingTrials(card),
    ...laterTrials(card),
  ]
  return usesUpADay ? trials.map((trial) => ({ ...trial, runs: 'daily' })) : trials
}

function paymentOf({ avs, expiry, pan }: TestCard): TrialPayment {
  return {
    pan,
    ...(expiry === undefined ? {} : { expiry }),
    ...(avs === undefined ? {} : { address: ELSEWHERE }),
  }
}

/** The answer to an ordinary payment of the customer. */
function firstAnswer(card: TestCard): TrialAnswer {
  const { merchantAdvice } = card
  const advice = merchantAdvice === undefined ? {} : { merchantAdvice }
  if (card.answers !== undefined) return declined(card.answers, advice)
  if (card.state !== undefined) return declined(ACCOUNT_STATES[card.state])
  if (card.insistsOn === 'authentication') return declined(unauthenticated(card))
  if (card.funds !== undefined && Number(card.funds.opening) < Number(PLAIN_AMOUNT)) {
    return declined('51', balanceOf(card, 0))
  }
  return approved({
    ...(card.avs === undefined ? {} : { avs: card.avs }),
    ...balanceOf(card, Number(PLAIN_AMOUNT)),
  })
}

/** The balance that prepaid cards report after a payment. */
function balanceOf({ funds, product }: TestCard, spent: number): Partial<TrialAnswer> {
  if (funds?.restored !== 'each_authorization' || !product.prepaid) return {}
  return { balance: (Number(funds.opening) - spent).toFixed(2) }
}

function unauthenticated({ pan }: TestCard): string {
  return pan.startsWith('5') ? '65' : '1A'
}

function moneyTrials(card: TestCard): readonly Trial[] {
  const { funds, limits = {}, pan } = card
  const trials: Trial[] = []
  if (funds !== undefined && funds.opening > 0n) {
    // Not one cent more, which may be a trigger amount.
    const amount = `${funds.opening}.10`
    trials.push(atOnce(amount, { pan, amount }, declined('51', balanceOf(card, 0))))
    // The rest of a day depends on the payments before.
    if (funds.restored === 'each_authorization') {
      trials.push(
        atOnce(
          `${amount}, a partial approval is accepted`,
          { pan, amount, acceptsPartial: true },
          approved({
            responseCode: '10',
            approved: `${funds.opening}.00`,
            ...balanceOf(card, Number(funds.opening)),
          }),
        ),
      )
    }
  }
  for (const limit of [limits.perTransaction, limits.perDay]) {
    if (limit === undefined) continue
    trials.push(atOnce(`${limit}.10`, { pan, amount: `${limit}.10` }, declined('61')))
  }
  if (limits.approvalsPerDay !== undefined) {
    trials.push(elsewhere(`after ${limits.approvalsPerDay} approvals: 65`, 'daily'))
  }
  return trials
}

function insistingTrials(card: TestCard): readonly Trial[] {
  const { expiry, insistsOn, pan } = card
  const trials: Trial[] = []
  if (expiry !== undefined) {
    trials.push(atOnce('another expiry', { pan, expiry: '5001' }, declined('54')))
  }
  switch (insistsOn) {
    case 'security_code':
      trials.push(
        atOnce(
          `security code ${WRONG_CODE}`,
          { pan, securityCode: WRONG_CODE },
          declined('N7', { cvv: 'N' }),
        ),
      )
      break
    case 'address':
      trials.push(
        atOnce('a wrong address', { pan, address: ELSEWHERE }, declined('05', { avs: 'N' })),
      )
      break
    case 'authentication':
      trials.push(
        atOnce('a right CAVV', { pan, cavv: PUBLISHED_CAVV }, approved()),
        atOnce('merchant-initiated', { pan, isMerchantInitiated: true }, approved()),
      )
      break
    case undefined:
  }
  return trials
}

/** The answers to merchant-initiated payments of the shop, which ask for no account update. */
function laterTrials(card: TestCard): readonly Trial[] {
  const { isStrict, merchantAdvice, merchantInitiated, pan, updater } = card
  const advice = merchantAdvice === undefined ? {} : { merchantAdvice }
  const later = (answer: TrialAnswer): Trial =>
    atOnce('merchant-initiated', { pan, isMerchantInitiated: true }, answer)
  const trials: Trial[] = []
  if (merchantInitiated !== undefined) trials.push(later(declined(merchantInitiated, advice)))
  else if (updater?.result === 'A' || updater?.result === 'E') {
    trials.push(later(declined('54', advice)))
  } else if (isStrict === true) {
    const payment = { pan, isMerchantInitiated: true } as const
    trials.push(
      atOnce('merchant-initiated, no first payment', payment, declined(unauthenticated(card))),
    )
  }
  if (updater !== undefined) {
    trials.push(elsewhere(`a renewal of the gateway: updater ${updater.result}`, 'membership'))
  }
  return trials
}
