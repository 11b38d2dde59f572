import { get, post } from '@tollgate/portal-contract/route'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { doorRoute } from '../../../src/portal/shell/door-route.ts'
import { implement } from '../../../src/portal/shell/portal-route.ts'

interface Wish {
  readonly amounts: readonly string[]
  readonly limit: number | null
}
const wishes = post('/wishes/:id', 'orders.note').answers<
  { readonly id: string; readonly at: string },
  { body: Wish }
>()
const figures = get('/figures', null).answers<
  { readonly count: number },
  { query: { readonly site?: string } }
>()

const WISH = z.strictObject({ amounts: z.array(z.string()), limit: z.int().nullable() })
const SITE = z.object({ site: z.string().optional() })
const answer = () => Promise.resolve({ id: 7n, at: new Date() })
const count = () => Promise.resolve({ count: 1 })

test('a route has the method, path and right of its entry in the table', () => {
  const { method, path, right, onTheWayIn, body, query } = implement(wishes, {
    body: WISH,
    handle: answer,
  })
  assert.deepEqual(
    { method, path, right, onTheWayIn, query },
    { method: 'POST', path: '/wishes/:id', right: 'orders.note', onTheWayIn: null, query: null },
  )
  assert.equal(body, WISH)
})

const knock = post('/knock', null).answers<
  { readonly open: boolean },
  { body: { readonly words: string } }
>()
const KNOCK = z.strictObject({ words: z.string() })
const open = () => Promise.resolve({ open: true })

test('a route for callers without a session follows its entry, or does not compile', () => {
  const { method, path } = doorRoute(knock, { body: KNOCK, handle: open })
  assert.deepEqual({ method, path }, { method: 'POST', path: '/knock' })
  // @ts-expect-error -- the table promises a truth value
  doorRoute(knock, { body: KNOCK, handle: () => Promise.resolve({ open: 'yes' }) })
  // @ts-expect-error -- the table has a body, and nothing reads it
  doorRoute(knock, { handle: open })
  // @ts-expect-error -- the schema refuses words that the table lets through
  doorRoute(knock, { body: KNOCK.extend({ words: z.literal('sesame') }), handle: open })
  // @ts-expect-error -- nothing would read the query of the table
  doorRoute(figures, { handle: count })
})

test('an implementation that departs from its entry does not compile', () => {
  assert.ok(implement(figures, { query: SITE, handle: count }))
  // @ts-expect-error -- the table promises a number
  implement(figures, { query: SITE, handle: () => Promise.resolve({ count: 'one' }) })
  // @ts-expect-error -- the answer lacks a member
  implement(wishes, { body: WISH, handle: () => Promise.resolve({ id: 7n }) })
  // @ts-expect-error -- the table has a query, and nothing reads it
  implement(figures, { handle: count })
  // @ts-expect-error -- the schema refuses a site that the table lets through
  implement(figures, { query: z.object({ site: z.enum(['1', '2']).optional() }), handle: count })
  // @ts-expect-error -- the schema refuses null, which the table lets through
  implement(wishes, { body: WISH.extend({ limit: z.int() }), handle: answer })
  // @ts-expect-error -- the table has no query
  implement(wishes, { body: WISH, query: SITE, handle: answer })
  implement(wishes, {
    body: WISH,
    // @ts-expect-error -- the path has no such parameter
    handle: ({ params }) => Promise.resolve({ id: params.site, at: new Date() }),
  })
})
