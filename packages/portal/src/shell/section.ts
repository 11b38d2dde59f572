import type { Icon } from '@tabler/icons-react'
import type { AnyRoute } from '@tanstack/react-router'
import type { Right } from '@tollgate/portal-contract/rights'
import { createContext } from 'react'

/** An entry of the navigation. */
interface NavigationEntry {
  readonly label: string
  readonly path: string
  readonly icon: Icon
  /** Users without it do not see the entry. */
  readonly right: Right
  /** Only in the sandbox. */
  readonly sandboxOnly?: boolean
  /** The path of pages that belong to it, and are not below its own path. */
  readonly also?: string
}

/** A room of the portal: its pages, and how one gets to them. */
export interface Section {
  /**
   * The head over its entries, shared with the section before if that has the same; null for those
   * at the top.
   */
  readonly title: string | null
  readonly entries: readonly NavigationEntry[]
  readonly routes: readonly AnyRoute[]
}

/**
 * All sections, for the navigation. The shell is handed them: their routes are below its own, so it
 * cannot import them.
 */
export const SectionsContext = createContext<readonly Section[]>([])
