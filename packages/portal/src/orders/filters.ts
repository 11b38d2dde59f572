import { SERVICE_TEXTS } from '@tollgate/kernel/service-codes'
import { timeWithZone } from '@tollgate/kernel/time-zone'
import { AVS_CODES, CVV_CODES } from '@tollgate/kernel/verification'
import type { ListSettings } from '@tollgate/portal-contract/answers/orders'
import type { SessionView } from '@tollgate/portal-contract/answers/shell'
import { CARD_BRANDS } from '@tollgate/portal-contract/card-brands'
import {
  ACTION_TEXTS,
  INITIATOR_TEXTS,
  ORDER_STATUSES,
  STATUS_TEXTS,
  THREE_DS_TEXTS,
  TRANSACTION_STATUSES,
  type ListName,
} from '@tollgate/portal-contract/order-columns'
import { shownZone } from '../parts/shown-zone.ts'
import type { ListSearch, SearchName } from './list-search.ts'

interface Option {
  readonly value: string
  readonly label: string
}

/** One filter: a choice out of several, or a text. */
export interface FilterDefinition {
  readonly name: SearchName
  readonly title: string
  /** Absent for a text. */
  readonly options?: readonly Option[]
  readonly several?: boolean
  readonly placeholder?: string
}

const options = (
  texts: Readonly<Record<string, string>>,
  keys: readonly string[] = Object.keys(texts),
): readonly Option[] => keys.map((value) => ({ value, label: texts[value] ?? value }))
const codeOptions = (texts: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(texts).map(([value, label]) => ({ value, label: `${value}: ${label}` }))

export const TIMES: readonly Option[] = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: '7 days', label: '7 days' },
  { value: 'this month', label: 'This month' },
  { value: 'last month', label: 'Last month' },
]

const OF_TRANSACTIONS: readonly FilterDefinition[] = [
  {
    name: 'counted',
    title: 'Counts as',
    several: true,
    options: options({
      approved: 'Approved payment',
      declined: 'Declined payment',
      failed: 'Payment without an answer',
      refunded: 'Refund',
    }),
  },
  { name: 'settled', title: 'Settled in', placeholder: '2026-11' },
]

const siteOptions = ({ sites }: SessionView): readonly Option[] => [
  ...sites.map(({ id, name }) => ({ value: id, label: name })),
  { value: 'unclocked', label: 'All without a test clock' },
]

/** Every filter of a list, with what there is to choose from at this merchant. */
export function filtersOf(
  list: ListName,
  session: SessionView,
  choices: ListSettings['choices'] | undefined,
): readonly FilterDefinition[] {
  return [
    {
      name: 'status',
      title: 'Status',
      several: true,
      options: options(STATUS_TEXTS, list === 'orders' ? ORDER_STATUSES : TRANSACTION_STATUSES),
    },
    { name: 'action', title: 'Action', several: true, options: options(ACTION_TEXTS) },
    {
      name: 'brand',
      title: 'Card brand',
      several: true,
      options: CARD_BRANDS.map((value) => ({ value, label: value })),
    },
    {
      name: 'currency',
      title: 'Currency',
      several: true,
      options: (choices?.currencies ?? []).map((value) => ({ value, label: value })),
    },
    {
      name: 'reason',
      title: 'Reason',
      several: true,
      options: Object.entries(SERVICE_TEXTS)
        .filter(([code]) => Number(code) >= 150)
        .map(([value, label]) => ({ value, label: `${value} ${label}` })),
    },
    { name: 'avs', title: 'AVS result', several: true, options: codeOptions(AVS_CODES) },
    { name: 'cvv', title: 'CVV result', several: true, options: codeOptions(CVV_CODES) },
    {
      name: 'threeDs',
      title: '3-D Secure',
      several: true,
      options: [{ value: 'none', label: 'without' }, ...codeOptions(THREE_DS_TEXTS)],
    },
    { name: 'initiator', title: 'Initiated by', several: true, options: options(INITIATOR_TEXTS) },
    { name: 'site', title: 'Site', options: siteOptions(session) },
    {
      name: 'account',
      title: 'Merchant account',
      options: (choices?.accounts ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: 'user',
      title: 'User',
      options: (choices?.users ?? []).map((value) => ({ value, label: value })),
    },
    ...(list === 'transactions' ? OF_TRANSACTIONS : []),
    { name: 'batch', title: 'Batch', placeholder: 'Number' },
    { name: 'customer', title: 'Customer', placeholder: 'Customer id' },
    { name: 'card', title: 'Saved card', placeholder: 'Saved card id' },
  ]
}

export interface Chip {
  readonly title: string
  readonly text: string
  /** The address without it. */
  readonly without: Readonly<Partial<Record<SearchName, string | null>>>
}

/** A moment as the list shows times; the text of an address itself where it is none. */
function momentText(moment: string | undefined): string | undefined {
  return moment === undefined || Number.isNaN(Date.parse(moment))
    ? moment
    : timeWithZone(shownZone(), new Date(moment))
}

/** The filters of a list, one by one. */
export function chipsOf(search: ListSearch, filters: readonly FilterDefinition[]): readonly Chip[] {
  const chosen = filters.flatMap(({ name, title, options: known = [] }) => {
    const values = (search[name] ?? '').split(',').filter((value) => value !== '')
    return values.map((value) => ({
      title,
      text: known.find((option) => option.value === value)?.label ?? value,
      without: { [name]: values.filter((other) => other !== value).join(',') },
    }))
  })
  const time = TIMES.find(({ value }) => value === search.time)
  const range = (name: string, from: string | undefined, to: string | undefined): string =>
    `${name} ${from === undefined ? `up to ${to}` : to === undefined ? `from ${from}` : `${from} to ${to}`}`
  return [
    ...(search.q === undefined ? [] : [{ title: 'Search', text: search.q, without: { q: null } }]),
    ...(time === undefined ? [] : [{ title: 'Time', text: time.label, without: { time: null } }]),
    ...(search.time !== undefined || (search.from === undefined && search.to === undefined)
      ? []
      : [
          {
            title: 'Time',
            text: range('days', search.from, search.to),
            without: { from: null, to: null },
          },
        ]),
    ...(search.since === undefined && search.until === undefined
      ? []
      : [
          {
            title: 'Time',
            text: range('', momentText(search.since), momentText(search.until)).trim(),
            without: { since: null, until: null },
          },
        ]),
    ...(search.min === undefined && search.max === undefined
      ? []
      : [
          {
            title: 'Amount',
            text: range('', search.min, search.max).trim(),
            without: { min: null, max: null },
          },
        ]),
    ...chosen,
  ]
}
