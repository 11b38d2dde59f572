import { Link } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

/** The actions that transactions of a batch have in the list of transactions. */
export const LISTED = {
  sale: 'sale,renewal',
  capture: 'capture',
  refund: 'refund',
  /** Sales and captures as they were made. */
  captured: 'sale,renewal,capture',
  voided: 'sale_void,capture_void,full_void',
  /** Sales and captures, less their voids. */
  sales: 'sale,renewal,capture,sale_void,capture_void,full_void',
} as const

interface ListedProps {
  readonly search: {
    readonly batch: string
    readonly currency: string
    readonly action?: string
    readonly brand?: string
  }
  readonly inRow?: boolean
  readonly children: ReactNode
}

/** A sum as a link to the list of its transactions. Rows that open by keyboard make it no stop. */
export function Listed({ children, inRow = false, search }: ListedProps) {
  const quiet = inRow
    ? { tabIndex: -1, onClick: (event: MouseEvent) => event.stopPropagation() }
    : {}
  return (
    <Link className="link" to="/transactions" search={search} {...quiet}>
      {children}
    </Link>
  )
}
