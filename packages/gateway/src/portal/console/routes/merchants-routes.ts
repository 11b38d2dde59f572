import { consoleMerchants as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import { refused, type Result } from '../../../base/refusal.ts'
import { findCurrency } from '../../../domain/currency.ts'
import { REQUIRED_FIELDS, type AccountDemands } from '../../../domain/merchants/account-demands.ts'
import { placeOf } from '../../../domain/merchants/account-details.ts'
import type { AmountLimit, CountryRule } from '../../../domain/merchants/account-limits.ts'
import { parseAmount } from '../../../domain/money.ts'
import { CARD_BRANDS } from '../../../domain/payments/card.ts'
import type {
  AccountView,
  MerchantReader,
  MerchantView,
} from '../../../usecases/merchants/merchant-views.ts'
import { idOf } from '../../shell/ids.ts'
import { notFound, orFault } from '../../shell/portal-route.ts'
import { countriesText } from '../domain/changed-limits.ts'
import { requesterOf } from '../usecases/console-operator.ts'
import type { DecideRequests } from '../usecases/decide-requests.ts'
import type { OperateMerchants } from '../usecases/operate-merchants.ts'
import type { OperatorRequestView } from '../usecases/operators-store.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'
import { requestAnswer } from './request-sentence.ts'

/** A reason in one line. The rules of the operation judge it further. */
const REASON = z.string().trim().max(200)

/** Names that an operator chose from a list. */
const NAMES = z.array(z.string().max(40)).max(40)

/** The routes of merchants, with their sites, accounts and limits. */
export function merchantsRoutes(deps: {
  readonly reader: MerchantReader
  readonly merchants: OperateMerchants
  readonly requests: Pick<DecideRequests, 'list'>
}): readonly ConsoleRoute[] {
  const { reader, merchants, requests } = deps
  return [
    implementConsole(table.list, { handle: () => reader.listMerchants() }),
    implementConsole(table.read, {
      async handle({ params }) {
        const merchant = await reader.readMerchant(idOf(params.id, 'merchant'))
        if (merchant === null) throw notFound('merchant')
        return merchantAnswer(merchant, await requests.list())
      },
    }),
    implementConsole(table.disable, {
      body: z.strictObject({ reason: REASON }),
      async handle({ session, address, params, body }) {
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'merchant')
        const { done } = orFault(await merchants.disable(requester, id, body.reason))
        return { done }
      },
    }),
    implementConsole(table.enable, {
      async handle({ session, address, params }) {
        const requester = requesterOf(session, address)
        const { done } = orFault(await merchants.enable(requester, idOf(params.id, 'merchant')))
        return { done }
      },
    }),
    implementConsole(table.setLimits, {
      body: z.strictObject({
        currency: z.string().max(3),
        payment: z.string().trim().max(30),
        day: z.string().trim().max(30),
        reason: REASON,
      }),
      async handle({ session, address, params, body }) {
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'account')
        const { limit } = orFault(readLimit(body))
        const set = await merchants.setLimits(requester, id, body.currency, limit, body.reason)
        return { done: orFault(set).done }
      },
    }),
    implementConsole(table.setCountries, {
      body: z.strictObject({
        rule: z.enum(['any', 'allow', 'refuse']),
        codes: z.string().trim().max(800),
        reason: REASON,
      }),
      async handle({ session, address, params, body }) {
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'account')
        const { countries } = orFault(readCountries(body))
        const set = await merchants.setCountries(requester, id, countries, body.reason)
        return { done: orFault(set).done }
      },
    }),
    implementConsole(table.setDemands, {
      body: z.strictObject({
        brands: NAMES,
        requiredFields: NAMES,
        reason: REASON,
      }),
      async handle({ session, address, params, body }) {
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'account')
        const { demands } = orFault(readDemands(body))
        const set = await merchants.setDemands(requester, id, demands, body.reason)
        return { done: orFault(set).done }
      },
    }),
  ]
}

/** Reads limits as an operator types them; an empty field is no limit. */
function readLimit(typed: {
  readonly currency: string
  readonly payment: string
  readonly day: string
}): Result<{ readonly limit: AmountLimit }> {
  const currency = findCurrency(typed.currency)
  if (currency === null || currency.code !== typed.currency) {
    return refused('invalid', 'This is no currency; expected a code such as EUR.')
  }
  const read = (text: string) => (text === '' ? null : parseAmount(text, currency))
  const [payment, day] = [read(typed.payment), read(typed.day)]
  for (const [field, amount] of [
    ['payment', payment],
    ['day', day],
  ] as const) {
    if (amount?.kind === 'refused') {
      const sentence = `Expected an amount in ${currency.code} such as 500, or nothing.`
      return refused('invalid', sentence, { field })
    }
  }
  return {
    ok: true,
    limit: {
      paymentMinor: payment?.kind === 'refused' ? null : (payment?.minor ?? null),
      dayMinor: day?.kind === 'refused' ? null : (day?.minor ?? null),
    },
  }
}

/** Reads countries as an operator types them. The sentence does not repeat what is no country. */
function readCountries(typed: {
  readonly rule: 'any' | CountryRule['rule']
  readonly codes: string
}): Result<{ readonly countries: CountryRule | null }> {
  const { rule } = typed
  const codes = typed.codes.split(/[\s,]+/).filter((code) => code !== '')
  if (rule === 'any') return { ok: true, countries: null }
  if (codes.length > 0 && codes.every((code) => /^[A-Z]{2}$/.test(code))) {
    return { ok: true, countries: { rule, codes } }
  }
  const sentence = 'Expected countries as two capital letters each, such as DE.'
  return refused('invalid', sentence, { field: 'codes' })
}

/** Reads chosen demands; no brand is all of them. The sentences do not repeat what is unknown. */
function readDemands(chosen: {
  readonly brands: readonly string[]
  readonly requiredFields: readonly string[]
}): Result<{ readonly demands: AccountDemands }> {
  const brands = CARD_BRANDS.filter((brand) => chosen.brands.includes(brand))
  const requiredFields = REQUIRED_FIELDS.filter((field) => chosen.requiredFields.includes(field))
  if (brands.length < new Set(chosen.brands).size) {
    const sentence = `Expected brands such as ${CARD_BRANDS.slice(0, 3).join(', ')}.`
    return refused('invalid', sentence, { field: 'brands' })
  }
  if (requiredFields.length < new Set(chosen.requiredFields).size) {
    const sentence = `Expected fields such as ${REQUIRED_FIELDS.slice(0, 3).join(', ')}.`
    return refused('invalid', sentence, { field: 'requiredFields' })
  }
  return { ok: true, demands: { brands: brands.length === 0 ? null : brands, requiredFields } }
}

function merchantAnswer(merchant: MerchantView, requests: readonly OperatorRequestView[]) {
  const { id, name, createdAt, timeZone, disabled, sites, accounts } = merchant
  const subjects = new Set([
    ...sites.map((site) => `site ${site.id}`),
    ...accounts.map((account) => `account ${account.id}`),
  ])
  return {
    id,
    name,
    createdAt,
    timeZone,
    disabled,
    sites: sites.map((site) => ({
      id: site.id,
      name: site.name,
      mode: site.mode,
      defaultCurrency: site.defaultCurrency,
      threeDs: site.threeDs,
    })),
    accounts: accounts.map(accountAnswer),
    demandable: { brands: CARD_BRANDS, fields: REQUIRED_FIELDS },
    apiUsers: merchant.apiUsers.length,
    portalUsers: merchant.portalUsers.length,
    requests: requests
      .filter(({ state, subject, operation }) => {
        const isOfMerchant = 'merchantId' in operation && operation.merchantId === id
        return state === 'open' && (isOfMerchant || subjects.has(subject))
      })
      .map(requestAnswer),
  }
}

function accountAnswer({ limits, today, demands, ...account }: AccountView) {
  const { id, mode, processorName, link, currencies, sites } = account
  const { categoryCode, nameAndLocation, threeDs, unreferencedCredits } = account
  const { countries } = limits
  return {
    id,
    mode,
    processorName,
    link,
    categoryCode,
    ...placeOf(nameAndLocation),
    currencies,
    sites,
    limits: [...limits.amounts].map(([currency, { paymentMinor, dayMinor }]) => ({
      currency,
      paymentMinor,
      dayMinor,
      todayMinor: dayMinor === null ? null : (today.get(currency) ?? 0n),
    })),
    countries: countries === null ? null : countriesText(countries),
    threeDs,
    unreferencedCredits,
    ...demands,
  }
}
