import { Breadcrumbs } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import type { Statement, StatementLine } from '@tollgate/portal-contract/answers/payouts'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import type { Column } from '../parts/data-table.tsx'
import { Facts } from '../parts/facts.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import print from '../parts/print.module.css'
import { call, fileAddress } from '../shell/api.ts'
import { LinesTable } from './lines-table.tsx'
import { sourceText, STATEMENT_TITLES, type StatementLinesSearch } from './payout-words.ts'
import { StatementFound } from './statement-found.tsx'

/** The lines of settlement files behind one row of a statement. */
export function StatementLinesPage() {
  const { month, row, source } = useSearch({ from: '/statements/lines' })
  const query = { source: source ?? '', month: month ?? '' }
  return (
    <StatementFound query={query} title="Lines of a statement">
      {(found) => <Shown statement={found} query={{ ...query, row: row ?? 'captures' }} />}
    </StatementFound>
  )
}

interface ShownProps {
  readonly statement: Statement
  readonly query: Required<StatementLinesSearch>
}

function Shown({ query, statement }: ShownProps) {
  const { currency } = statement.source
  const row = statement.rows.find(({ name }) => name === query.row)
  return (
    <Page
      title={`${STATEMENT_TITLES[query.row]}, ${query.month}`}
      text={
        <Breadcrumbs component="span" separatorMargin={4} className={print.unprinted}>
          <LinkAnchor
            to="/statements"
            search={{ source: query.source, month: query.month }}
            size="sm"
          >
            Statement of {query.month}
          </LinkAnchor>
        </Breadcrumbs>
      }
      actions={<PageFiles csv={fileAddress(routes.payouts.statementLinesCsv, { query })} />}
    >
      <Panel title={sourceText(statement.source)}>
        <Facts
          facts={[
            [
              'In the statement',
              <strong key="sum">
                <Amount minor={row?.minor ?? '0'} currency={currency} />
              </strong>,
            ],
            ['Postings', countText(row?.count ?? 0)],
          ]}
        />
      </Panel>
      <LinesTable
        label="Lines of the statement"
        currency={currency}
        queryKey={['statement', query]}
        more={[postedColumn(currency)]}
        read={(after, signal) =>
          call(routes.payouts.statementLines, { query: { ...query, after }, signal })
        }
      />
    </Page>
  )
}

/** Other parts of a line are in other rows: these amounts alone add up to this one. */
function postedColumn(currency: string): Column<StatementLine> {
  return {
    key: 'posted',
    title: 'In this row',
    align: 'right',
    wraps: true,
    cell: ({ postedMinor }) => (
      <strong>
        <Amount bare minor={postedMinor} currency={currency} />
      </strong>
    ),
  }
}
