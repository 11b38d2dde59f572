import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiFault } from '../shell/api.ts'
import { EmptyState } from './empty-state.tsx'
import { Fault } from './fault.tsx'
import { Page } from './page.tsx'

interface FoundProps<Data> {
  readonly query: {
    readonly data: Data | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  /** Of the page while nothing else is known of it. */
  readonly title: string
  /** In the place of what is not there, with a way on. */
  readonly missing: { readonly title: string; readonly text: string; readonly action: ReactNode }
  readonly children: (data: Data) => ReactNode
}

/**
 * The page of one object: while it is loaded, where there is none, and when it cannot be loaded.
 */
export function Found<Data>({
  query: { data, error, refetch },
  title,
  missing,
  children,
}: FoundProps<Data>) {
  if (data !== undefined) return children(data)
  return (
    <Page title={title}>
      {error === null ? (
        <>
          <Skeleton height={140} />
          <Skeleton height={320} />
        </>
      ) : error instanceof ApiFault && error.status === 404 ? (
        <EmptyState {...missing} />
      ) : (
        <Fault error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  )
}
