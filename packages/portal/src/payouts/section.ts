import { IconCalendarStats, IconCashBanknote } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { PayoutPart, StatementRowName } from '@tollgate/portal-contract/answers/payouts'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'
import {
  FEE_NAMES,
  PARTS,
  STATEMENT_TITLES,
  STATES,
  type FeesSearch,
  type PayoutSearch,
  type StatementLinesSearch,
} from './payout-words.ts'

const getParentRoute = () => shellRoute

const FORMS = {
  currency: /^[A-Z]{3}$/,
  account: /^[1-9]\d{0,14}$/,
  from: /^\d{4}-\d\d-\d\d$/,
  to: /^\d{4}-\d\d-\d\d$/,
  source: /^[1-9]\d{0,14}$/,
  month: /^20\d\d-(0[1-9]|1[0-2])$/,
  find: /^(?=.*\S).{1,64}$/,
} as const

const ROWS = Object.keys(STATEMENT_TITLES) as StatementRowName[]

/** The values of an address that have their form. */
function formed<Name extends keyof typeof FORMS>(
  search: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { readonly [Key in Name]?: string } {
  return Object.fromEntries(
    names
      .filter((name) => search[name] !== undefined)
      .map((name) => [name, String(search[name])] as const)
      .filter(([name, value]) => FORMS[name].test(value)),
  ) as { readonly [Key in Name]?: string }
}

const payoutsRoute = createRoute({
  getParentRoute,
  path: '/payouts',
  validateSearch: (search): PayoutSearch => {
    const state = STATES.find((each) => each === search['state'])
    return {
      ...formed(search, ['currency', 'account', 'from', 'to', 'find']),
      ...(state === undefined ? {} : { state }),
    }
  },
  component: lazyRouteComponent(() => import('./payouts-page.tsx'), 'PayoutsPage'),
})

const payoutRoute = createRoute({
  getParentRoute,
  path: '/payouts/$payoutId',
  validateSearch: (search): { readonly part?: PayoutPart } => {
    const found = PARTS.find(({ part }) => part === search['part'])
    return found === undefined ? {} : { part: found.part }
  },
  component: lazyRouteComponent(() => import('./payout-page.tsx'), 'PayoutPage'),
})

const untakenRoute = createRoute({
  getParentRoute,
  path: '/payouts/untaken/$sourceId',
  component: lazyRouteComponent(() => import('./untaken-page.tsx'), 'UntakenPage'),
})

const statementRoute = createRoute({
  getParentRoute,
  path: '/statements',
  validateSearch: (search): { readonly source?: string; readonly month?: string } =>
    formed(search, ['source', 'month']),
  component: lazyRouteComponent(() => import('./statement-page.tsx'), 'StatementPage'),
})

const statementLinesRoute = createRoute({
  getParentRoute,
  path: '/statements/lines',
  validateSearch: (search): StatementLinesSearch => {
    const row = ROWS.find((each) => each === search['row'])
    return {
      ...formed(search, ['source', 'month']),
      ...(row === undefined ? {} : { row }),
    }
  },
  component: lazyRouteComponent(() => import('./statement-lines-page.tsx'), 'StatementLinesPage'),
})

const statementFeesRoute = createRoute({
  getParentRoute,
  path: '/statements/fees',
  validateSearch: (search): FeesSearch => {
    const fee = FEE_NAMES.find((each) => each === search['fee'])
    return {
      ...formed(search, ['source', 'month']),
      ...(fee === undefined ? {} : { fee }),
    }
  },
  component: lazyRouteComponent(() => import('./fees-page.tsx'), 'FeesPage'),
})

export const payoutsSection = {
  title: 'Money',
  entries: [
    { label: 'Payouts', path: '/payouts', icon: IconCashBanknote, right: 'batches.see' },
    { label: 'Statements', path: '/statements', icon: IconCalendarStats, right: 'batches.see' },
  ],
  routes: [
    payoutsRoute,
    payoutRoute,
    untakenRoute,
    statementRoute,
    statementLinesRoute,
    statementFeesRoute,
  ],
} as const satisfies Section
