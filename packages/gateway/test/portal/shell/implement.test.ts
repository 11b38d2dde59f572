import { get, post } from '@tollgate/portal-contract/route'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { implement } from '../../../src/portal/shell/portal-route.ts'
import { signInRoute } from '../../../src/portal/shell/sign-in-route.ts'

interface Request {
  readonly amounts: readonly string[]
  readonly limit: number | null
}
const requests = post('/requests/:id', 'orders.note').answers<
  { readonly id: string; readonly at: string },
  { body: Request }
>()
const figures = get('/figures', null).answers<
  { readonly count: number },
  { query: { readonly site?: string } }
>()

const REQUEST = z.strictObject({ amounts: z.array(z.string()), limit: z.int().nullable() })
const SITE = z.object({ site: z.string().optional() })
const answer = () => Promise.resolve({ id: 7n, at: new Date() })
const count = () => Promise.resolve({ count: 1 })

test('a route has the method, path and right of its entry in the table', () => {
  const { method, path, right, onTheWayIn, body, query } = implement(requests, {
    body: REQUEST,
    handle: answer,
  })
  assert.deepEqual(
    { method, path, right, onTheWayIn, query },
    { method: 'POST', path: '/requests/:id', right: 'orders.note', onTheWayIn: null, query: null },
  )
  assert.equal(body, REQUEST)
})

const knock = post('/knock', null).answers<
  { readonly open: boolean },
  { body: { readonly words: string } }
>()
const KNOCK = z.strictObject({ words: z.string() })
const open = () => Promise.resolve({ open: true })

test('a route for callers without a session follows its entry, or does not compile', () => {
  const { method, path } = signInRoute(knock, { body: KNOCK, handle: open })
  assert.deepEqual({ method, path }, { method: 'POST', path: '/knock' })
  // @ts-expect-error -- the table promises a truth value
  signInRoute(knock, { body: KNOCK, handle: () => Promise.resolve({ open: 'yes' }) })
  // @ts-expect-error -- the table has a body, and nothing reads it
  signInRoute(knock, { handle: open })
  // @ts-expect-error -- the schema refuses words that the table lets through
  signInRoute(knock, { body: KNOCK.extend({ words: z.literal('sesame') }), handle: open })
  // @ts-expect-error -- nothing would read the query of the table
  signInRoute(figures, { handle: count })
})

test('an implementation that departs from its entry does not compile', () => {
  assert.ok(implement(figures, { query: SITE, handle: count }))
  // @ts-expect-error -- the table promises a number
  implement(figures, { query: SITE, handle: () => Promise.resolve({ count: 'one' }) })
  // @ts-expect-error -- the answer lacks a member
  implement(requests, { body: REQUEST, handle: () => Promise.resolve({ id: 7n }) })
  // @ts-expect-error -- the table has a query, and nothing reads it
  implement(figures, { handle: count })
  // @ts-expect-error -- the schema refuses a site that the table lets through
  implement(figures, { query: z.object({ site: z.enum(['1', '2']).optional() }), handle: count })
  // @ts-expect-error -- the schema refuses null, which the table lets through
  implement(requests, { body: REQUEST.extend({ limit: z.int() }), handle: answer })
  // @ts-expect-error -- the table has no query
  implement(requests, { body: REQUEST, query: SITE, handle: answer })
  implement(requests, {
    body: REQUEST,
    // @ts-expect-error -- the path has no such parameter
    handle: ({ params }) => Promise.resolve({ id: params.site, at: new Date() }),
  })
})
