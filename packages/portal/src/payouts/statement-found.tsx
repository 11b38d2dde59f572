import { useQuery } from '@tanstack/react-query'
import type { Statement } from '@tollgate/portal-contract/answers/payouts'
import * as routes from '@tollgate/portal-contract/routes'
import type { ReactNode } from 'react'
import { Found } from '../parts/found.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { call } from '../shell/api.ts'

interface StatementFoundProps {
  readonly query: { readonly source: string; readonly month: string }
  /** The title of the page until the statement is there. */
  readonly title: string
  readonly children: (statement: Statement) => ReactNode
}

/** A page about one statement, once that is found. */
export function StatementFound({ children, query, title }: StatementFoundProps) {
  const statement = useQuery({
    queryKey: ['payouts', 'statement', query.source, query.month],
    queryFn: ({ signal }) => call(routes.payouts.statement, { query, signal }),
  })
  return (
    <Found
      query={statement}
      title={title}
      missing={{
        title: 'No statement found',
        text: 'This merchant account has no settlement file, or is of another merchant.',
        action: <LinkAnchor to="/statements">Statements</LinkAnchor>,
      }}
    >
      {children}
    </Found>
  )
}
