import { useNavigate, useRouterState } from '@tanstack/react-router'
import { momentIn } from '@tollgate/kernel/time-zone'
import { useMemo } from 'react'
import { addressText } from '../parts/address-text.ts'
import { shownZone } from '../parts/shown-zone.ts'

export type Address = Readonly<Record<string, string>>

/** A page's parameters, as text: an id has more digits than a number holds exactly. */
function readAddress(searchText: string): Address {
  return Object.fromEntries(
    [...new URLSearchParams(searchText)]
      .map(([name, value]) => [name, addressText(value)])
      .filter(([, value]) => value !== ''),
  )
}

/** The address of the page, and how to change parts of it; null takes a part away. */
export function useAddress(
  path: string,
): readonly [Address, (changes: Readonly<Record<string, string | null>>) => void] {
  const searchText = useRouterState({ select: ({ location }) => location.searchStr })
  const navigate = useNavigate()
  const address = useMemo(() => readAddress(searchText), [searchText])
  return [
    address,
    (changes) => {
      const next = Object.fromEntries(
        Object.entries({ ...address, ...changes }).filter(
          ([, value]) => value !== null && value !== '',
        ),
      )
      void navigate({ to: path, search: next, replace: true })
    },
  ]
}

/** A time of the merchant's zone in an address, as the gateway takes it: in UTC. */
export function momentOf(text: string | undefined): string | undefined {
  return text === undefined || Number.isNaN(Date.parse(`${text}Z`))
    ? undefined
    : momentIn(shownZone(), text).toISOString()
}
