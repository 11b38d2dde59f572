import { consoleFees as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import { findCurrency } from '../../../domain/currency.ts'
import { planState, type FeePlan } from '../../../domain/fees/fee-plan.ts'
import { decimalText, percentText } from '../../../domain/fees/plan-text.ts'
import { sampleFees } from '../../../domain/fees/sample-fees.ts'
import { parseAmount } from '../../../domain/money.ts'
import { CARD_BRANDS } from '../../../domain/payments/card.ts'
import { idOf } from '../../shell/ids.ts'
import { notFound, orFault } from '../../shell/portal-route.ts'
import { feesSubject } from '../domain/operator-request.ts'
import { requesterOf } from '../usecases/console-operator.ts'
import type { DecideRequests } from '../usecases/decide-requests.ts'
import type { MerchantFees, OperateFees } from '../usecases/operate-fees.ts'
import type { OperatorRequestView } from '../usecases/operators-store.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'
import { requestAnswer } from './request-sentence.ts'

/** The text of a plan's file. The reader of the file judges it further. */
const PLAN = z.string().max(50_000)

/** The routes of the plans of fees. */
export function feeRoutes(
  fees: OperateFees,
  requests: Pick<DecideRequests, 'list'>,
): readonly ConsoleRoute[] {
  return [
    implementConsole(table.read, {
      async handle({ params }) {
        const id = idOf(params.id, 'merchant')
        const found = await fees.read(id)
        if (found === null) throw notFound('merchant')
        return feesAnswer(id, found, await requests.list())
      },
    }),
    implementConsole(table.preview, {
      body: z.strictObject({
        plan: PLAN,
        amount: z.string().trim().max(30),
        currency: z.string().max(3),
      }),
      async handle({ params, body }) {
        const judged = await fees.judge(idOf(params.id, 'merchant'), body.plan)
        if (!judged.ok && judged.kind === 'missing') throw notFound('merchant')
        const amountMinor = sampleMinor(body.amount, body.currency)
        const faults = judged.ok ? [] : [...judged.faults]
        if (amountMinor === null) {
          faults.push('The sample has no valid amount; expected one above 0, such as 100.00.')
        }
        if (!judged.ok || amountMinor === null) {
          return { faults, samples: [], startsOn: null, monthly: {} }
        }
        const { plan, fees: found } = judged
        return {
          faults,
          samples: sampleFees(plan, found.plans, body.currency, amountMinor),
          startsOn: plan.startsOn,
          monthly: decimals(plan.monthlyMinor),
        }
      },
    }),
    implementConsole(table.put, {
      body: z.strictObject({ plan: PLAN, reason: z.string().trim().max(200) }),
      async handle({ session, address, params, body }) {
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'merchant')
        const { done } = orFault(await fees.put(requester, id, body.plan, body.reason))
        return { done }
      },
    }),
  ]
}

/** Null for no amount above zero. */
function sampleMinor(text: string, code: string): bigint | null {
  const currency = findCurrency(code)
  if (currency === null) return null
  const read = parseAmount(text, currency)
  return read.kind === 'refused' || read.minor <= 0n ? null : read.minor
}

function feesAnswer(id: bigint, fees: MerchantFees, requests: readonly OperatorRequestView[]) {
  const { currencies, liveSites, merchantName, plans, put, today } = fees
  return {
    merchant: { id, name: merchantName },
    today,
    currencies,
    brands: CARD_BRANDS,
    needsSecond: liveSites > 0,
    plans: plans.toReversed().map((plan) => ({
      ...planAnswer(plan),
      state: planState(plan, plans, today),
      by: put.get(plan.startsOn)?.by ?? '',
      at: put.get(plan.startsOn)?.at ?? new Date(0),
    })),
    requests: requests
      .filter(({ state, subject }) => state === 'open' && subject === feesSubject(id))
      .map(requestAnswer),
  }
}

function planAnswer({ startsOn, rates, monthlyMinor }: FeePlan) {
  return {
    startsOn,
    rates: rates.map(({ kind, brand, millionths, fixedMinor }) => ({
      kind,
      brand,
      percent: percentText(millionths),
      fixed: decimals(fixedMinor),
    })),
    monthly: decimals(monthlyMinor),
  }
}

function decimals(amounts: ReadonlyMap<string, bigint>): Readonly<Record<string, string>> {
  return Object.fromEntries([...amounts].map(([code, minor]) => [code, decimalText(minor, code)]))
}
