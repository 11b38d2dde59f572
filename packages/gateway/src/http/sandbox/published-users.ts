import { refusal, type PublishedUser } from './published-site.ts'

/** The merchant of the sites, apart from the demo merchants and without a portal user. */
export const SITUATIONS_MERCHANT = { id: 80, name: 'Situations' } as const

/** The password of every published API user of the merchant. */
export const SITUATIONS_PASSWORD = 'Sandbox-4.14-situations'
export const SITUATIONS_USER = 'situations@tollgate.test'

/** API users for situations, beside `SITUATIONS_USER`, which may do everything. */
export const PUBLISHED_USERS: readonly PublishedUser[] = [
  {
    username: 'disabled@tollgate.test',
    meaning: 'a disabled API user',
    active: false,
    readsApi: true,
    requestRate: null,
    trial: refusal({ api: '102' }, 'any request', {}),
  },
  {
    username: 'payments@tollgate.test',
    meaning: 'an API user without the right to read lists and events',
    active: true,
    readsApi: false,
    requestRate: null,
    trial: {
      ...refusal({ api: '0' }, '`GET` with HTTP Basic authentication', {}),
      path: '/api/v1/orders',
      answer: { status: 403 },
    },
  },
  {
    username: 'limited@tollgate.test',
    meaning: 'an API user with a rate limit: one request a second, and three at once',
    active: true,
    readsApi: true,
    requestRate: { perSecond: 1, burst: 3 },
    trial: refusal(
      { service: 215 },
      'the eighth request at once',
      { REQUEST_ACTION: 'TESTAUTH' },
      {
        after: Array.from({ length: 7 }, () => ({ REQUEST_ACTION: 'TESTAUTH' })),
      },
    ),
  },
]
