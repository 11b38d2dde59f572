import { useQuery } from '@tanstack/react-query'
import type { DisputeList } from '@tollgate/portal-contract/answers/disputes'
import * as routes from '@tollgate/portal-contract/routes'
import { countText } from '../parts/count-text.ts'
import { Deadline } from '../parts/deadline.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { WorkLine } from './work-line.tsx'

/** Disputes that wait for an answer, with the first deadline; nothing without the right. */
export function DisputesLine() {
  const maySee = useMay('disputes.see')
  const { data } = useQuery({
    queryKey: ['disputes', 'due'],
    queryFn: ({ signal }) => call(routes.disputes.list, { query: { group: 'due' }, signal }),
    enabled: maySee,
  })
  if (data === undefined) return null
  const count = data.totals.reduce((sum, total) => sum + total.count, 0)
  const first = firstOf(data)
  return (
    <WorkLine isFine={count === 0}>
      {count === 0 ? (
        'No dispute waits for an answer.'
      ) : (
        <>
          <LinkAnchor to="/disputes" search={{ group: 'due' }} size="sm" underline="always">
            {count === 1
              ? '1 dispute waits for an answer'
              : `${countText(count)} disputes wait for an answer`}
          </LinkAnchor>
          {first === undefined ? (
            '.'
          ) : (
            <>
              , the first by <Deadline {...first} />.
            </>
          )}
        </>
      )}
    </WorkLine>
  )
}

/** The first deadline; undefined where further pages may have an earlier one. */
function firstOf({ disputes, next }: DisputeList) {
  if (next !== null) return undefined
  return disputes
    .flatMap(({ daysLeft, respondBy }) =>
      daysLeft === null || respondBy === null ? [] : [{ day: respondBy, daysLeft }],
    )
    .toSorted((left, right) => left.daysLeft - right.daysLeft)[0]
}
