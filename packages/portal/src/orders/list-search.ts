import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { ListName } from '@tollgate/portal-contract/order-columns'
import { useCallback, useMemo } from 'react'
import { addressText } from '../parts/address-text.ts'

/** The names of what a list's address can hold. Several values of one are separated by commas. */
const SEARCH_NAMES = [
  'q',
  'status',
  'action',
  'brand',
  'avs',
  'cvv',
  'threeDs',
  'reason',
  'batch',
  'site',
  'account',
  'user',
  'currency',
  'min',
  'max',
  'time',
  'from',
  'to',
  'since',
  'until',
  'counted',
  'settled',
  'customer',
  'card',
  'initiator',
  'sort',
  'cols',
  'after',
] as const

export type SearchName = (typeof SEARCH_NAMES)[number]
export type ListSearch = Readonly<Partial<Record<SearchName, string>>>

/** The parameters, as text: an id has more digits than a number holds exactly. */
export function readListSearch(searchText: string): ListSearch {
  const params = new URLSearchParams(searchText)
  const given: Partial<Record<SearchName, string>> = {}
  for (const name of SEARCH_NAMES) {
    const text = addressText(params.get(name) ?? '')
    if (text !== '') given[name] = text
  }
  return given
}

/** The search of a list's address, and how to change it. A change goes back to the first page. */
export function useListSearch(list: ListName) {
  const searchText = useRouterState({ select: ({ location }) => location.searchStr })
  const navigate = useNavigate()
  const search = useMemo(() => readListSearch(searchText), [searchText])
  const replaceAll = useCallback(
    (next: ListSearch, replace = false): void =>
      void navigate({ to: `/${list}`, search: { ...next }, replace }),
    [navigate, list],
  )
  const change = useCallback(
    (changes: Readonly<Partial<Record<SearchName, string | null>>>, replace = false): void => {
      const kept = Object.fromEntries(
        Object.entries({ ...search, after: null, ...changes }).filter(
          ([, value]) => value !== null && value !== '',
        ),
      )
      replaceAll(kept as ListSearch, replace)
    },
    [search, replaceAll],
  )
  return { search, replaceAll, change }
}
