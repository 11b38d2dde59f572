import type { Role } from '@tollgate/portal-contract/rights'

/** The roles by the letter that `PORTAL_RIGHTS` writes for each. */
export const ROLE_OF_LETTER: Readonly<Record<string, Role>> = {
  O: 'owner',
  A: 'admin',
  F: 'finance',
  S: 'support',
  D: 'developer',
  R: 'read_only',
}

export interface PortalRight {
  /** Letters of the roles that have it. */
  readonly roles: string
  /** Method and path of each route that needs it. */
  readonly routes: readonly string[]
}

/**
 * Each right by its row in docs/portal/users.md, with its roles and its routes. The table is
 * written by hand, and nothing in it is read from the code. test/scenarios/portal-access.test.ts
 * requests every route as every role, and compares the answers with the table.
 */
export const PORTAL_RIGHTS: Readonly<Record<string, PortalRight>> = {
  'view the home page': {
    roles: 'OAFSDR',
    routes: ['GET /home', 'GET /home/chart', 'GET /home/work'],
  },
  'view orders': {
    roles: 'OAFSDR',
    routes: [
      'GET /open-authorizations',
      'GET /orders',
      'GET /orders/totals',
      'GET /orders/:id',
      'GET /orders/:id/transactions/:transaction/exchange',
      'GET /transactions',
      'GET /transactions/totals',
      'GET /order-lists/:list',
      'PUT /order-lists/:list/columns',
      'POST /order-views',
      'DELETE /order-views/:id',
    ],
  },
  'download order lists': {
    roles: 'OAF',
    routes: ['GET /orders/csv', 'GET /transactions/csv'],
  },
  'capture authorizations': { roles: 'OAF', routes: ['POST /orders/:id/captures'] },
  'void authorizations and captures': {
    roles: 'OAFS',
    routes: [
      'POST /orders/:id/voids',
      'POST /orders/:id/capture-voids',
      'GET /orders/:id/void-or-refund',
      'POST /orders/:id/void-or-refund',
    ],
  },
  "refund, up to the user's limit": { roles: 'OAFS', routes: ['POST /orders/:id/refunds'] },
  'charge a saved card again': { roles: 'OAS', routes: ['POST /orders/:id/charges'] },
  'write notes': { roles: 'OAFSD', routes: ['POST /orders/:id/notes'] },
  'take payments in the virtual terminal': {
    roles: 'OAS',
    routes: [
      'GET /terminal/sites',
      'GET /terminal/cards',
      'POST /terminal/signatures',
      'POST /terminal/payments',
    ],
  },
  'view customers and their cards': {
    roles: 'OAFSDR',
    routes: [
      'GET /customers',
      'GET /customers/:customerId',
      'GET /settings/sites/:siteId/mails',
      'GET /settings/sites/:siteId/mails/:mailId',
    ],
  },
  'change customers and delete cards': {
    roles: 'OAS',
    routes: [
      'PUT /customers/:customerId/contact',
      'GET /customers/:customerId/cards/:cardId/removal',
      'DELETE /customers/:customerId/cards/:cardId',
      'POST /settings/sites/:siteId/mails/:mailId/send',
    ],
  },
  'erase the personal data of customers': {
    roles: 'OA',
    routes: ['GET /customers/:customerId/erasure', 'POST /customers/:customerId/erasure'],
  },
  'change the catalogue': {
    roles: 'OAD',
    routes: ['POST /sites/:siteId/products', 'PUT /sites/:siteId/products/active'],
  },
  'view memberships': {
    roles: 'OAFSDR',
    routes: [
      'GET /memberships',
      'GET /memberships/:membershipId',
      'GET /products',
      'GET /renewals/forecast',
    ],
  },
  'change, cancel and retry memberships': {
    roles: 'OAS',
    routes: ['POST /memberships/:membershipId/changes'],
  },
  'view batches, payouts and statements': {
    roles: 'OAFDR',
    routes: [
      'GET /batches',
      'GET /batches/:id',
      'GET /batches/:id/agreement',
      'GET /batches/:id/settlements',
      'GET /batches/:id/settlements/transactions',
      'GET /batches/:id/transactions',
      'GET /batches/:id/transactions.csv',
      'GET /payouts',
      'GET /payouts.csv',
      'GET /payouts/:id',
      'GET /payouts/:id/lines',
      'GET /payouts/:id/lines.csv',
      'GET /expected-payouts',
      'GET /settlement-sources',
      'GET /settlement-sources/:id',
      'GET /settlement-sources/:id/lines',
      'GET /settlement-sources/:id/lines.csv',
      'GET /statements',
      'GET /statements.csv',
      'GET /statements/lines',
      'GET /statements/lines.csv',
      'GET /statements/fees',
      'GET /statements/fees.csv',
    ],
  },
  'close batches': {
    roles: 'OAF',
    routes: ['POST /batches/:id/close', 'PUT /batch-accounts/:id/cutoff'],
  },
  'view reconciliation': {
    roles: 'OAFDR',
    routes: [
      'GET /reconciliation',
      'GET /reconciliation/runs/:id',
      'GET /reconciliation/differences',
      'GET /settlement-differences',
      'GET /settlement-differences.csv',
      'GET /settlement-differences/:id',
    ],
  },
  'assign and resolve differences': {
    roles: 'OAF',
    routes: [
      'POST /reconciliation/runs',
      'PUT /reconciliation/daily',
      'POST /reconciliation/differences/:id',
      'PUT /settlement-differences/:id/owner',
      'POST /settlement-differences/:id/notes',
      'POST /settlement-differences/:id/end',
    ],
  },
  'view disputes and their evidence': {
    roles: 'OAFSDR',
    routes: [
      'GET /disputes',
      'GET /disputes.csv',
      'GET /dispute-monitoring',
      'GET /disputes/:id',
      'GET /disputes/:id/files/:file',
    ],
  },
  'accept and contest disputes': {
    roles: 'OAF',
    routes: [
      'POST /disputes/:id/files',
      'DELETE /disputes/:id/files/:file',
      'POST /disputes/:id/accept',
      'POST /disputes/:id/contest',
    ],
  },
  'view settings': {
    roles: 'OAFDR',
    routes: [
      'GET /settings/sites',
      'GET /settings/sites/:siteId',
      'GET /settings/sites/:siteId/past-checks',
      'GET /settings/sites/:siteId/mail',
      'POST /settings/sites/:siteId/mail/preview',
      'POST /settings/sites/:siteId/card-testing/try',
      'GET /settings/go-live',
      'GET /settings/sites/:siteId/go-live',
      'GET /settings/api-users',
      'GET /settings/api-users/:name/callers',
      'POST /settings/api-users/:name/networks/check',
      'GET /settings/webhooks',
      'GET /settings/webhook-deliveries',
      'GET /settings/webhook-deliveries/:id',
    ],
  },
  'change site settings': {
    roles: 'OA',
    routes: [
      'PUT /settings/merchant/time-zone',
      'PUT /settings/sites/:siteId',
      'PUT /settings/sites/:siteId/catalogue',
      'PUT /settings/sites/:siteId/three-ds',
      'PUT /settings/sites/:siteId/card-testing',
      'PUT /settings/sites/:siteId/card-testing/mode',
      'POST /settings/sites/:siteId/token-keys',
      'DELETE /settings/sites/:siteId/token-keys/previous',
      'PUT /settings/sites/:siteId/token-origins',
      'PUT /settings/sites/:siteId/mail',
      'PUT /settings/sites/:siteId/mail/texts',
      'POST /settings/sites/:siteId/mail/test',
    ],
  },
  'request test or live mode for a site': {
    roles: 'O',
    routes: [
      'POST /settings/sites/:siteId/go-live',
      'POST /settings/sites/:siteId/go-live/:id/withdraw',
    ],
  },
  "approve another user's request for test or live mode": {
    roles: 'OA',
    routes: [
      'POST /settings/sites/:siteId/go-live/:id/approve',
      'POST /settings/sites/:siteId/go-live/:id/refuse',
    ],
  },
  'create and retire passwords of API users': {
    roles: 'OA',
    routes: [
      'POST /settings/api-users',
      'POST /settings/api-users/:name/passwords',
      'DELETE /settings/api-users/:name/passwords/:number',
      'PUT /settings/api-users/:name/networks',
      'POST /settings/api-users/:name/disable',
      'POST /settings/api-users/:name/enable',
      'PUT /settings/api-users/:name/events',
    ],
  },
  'change webhooks and send events again': {
    roles: 'OAD',
    routes: [
      'POST /settings/webhooks',
      'PUT /settings/webhooks/:id',
      'DELETE /settings/webhooks/:id',
      'POST /settings/webhooks/:id/secrets',
      'DELETE /settings/webhooks/:id/secrets/previous',
      'POST /settings/webhooks/:id/pause',
      'POST /settings/webhooks/:id/resume',
      'POST /settings/webhooks/:id/test',
      'POST /settings/webhooks/:id/send-again',
      'POST /settings/webhook-deliveries/:id/send-again',
    ],
  },
  'view portal users': { roles: 'OA', routes: ['GET /users', 'GET /user-approvals'] },
  'invite portal users and change their roles': {
    roles: 'OA',
    routes: [
      'POST /users',
      'PUT /users/:id',
      'POST /users/:id/enable',
      'POST /users/:id/disable',
      'POST /users/:id/reset',
      'PUT /user-approvals',
      'POST /user-requests/:id/approve',
      'POST /user-requests/:id/refuse',
      'POST /user-requests/:id/withdraw',
    ],
  },
  'view the audit log': {
    roles: 'OAF',
    routes: ['GET /audit', 'GET /audit/operations', 'GET /audit/export', 'POST /audit/check'],
  },
  'end a support visit of an operator': {
    roles: 'OA',
    routes: ['POST /support-visits/:id/end'],
  },
  'view the request log and test pages': {
    roles: 'OAD',
    routes: [
      'GET /developer/requests',
      'GET /developer/requests/:id',
      'GET /developer/requests/:id/why',
      'GET /developer/why/:id',
      'GET /developer/test-values',
      'GET /developer/test-values/request',
      'GET /developer/bank/accounts',
      'GET /developer/bank/statement',
      'GET /developer/bank/faults',
      'GET /developer/clocks',
      'GET /developer/clocks/:id/agenda',
      'GET /developer/receivers/:id',
      'GET /developer/receivers/:id/caught',
    ],
  },
  "change the test bank, a test site's clock and its data": {
    roles: 'OAD',
    routes: [
      'POST /developer/bank/faults',
      'DELETE /developer/bank/faults/:id',
      'POST /developer/clocks/:id',
      'POST /developer/resets',
      'POST /developer/receivers/:id',
      'POST /developer/receivers/:id/removal',
      'POST /developer/receivers/:id/answer',
      'POST /developer/receivers/:id/faults',
      'POST /developer/operations/:id',
    ],
  },
}

/** Routes of every signed-in user, which concern the user's own account or show no data. */
export const NO_RIGHT_NEEDED: readonly string[] = [
  'GET /account',
  'PUT /account/name',
  'PUT /account/password',
  'POST /account/second-factor/begin',
  'POST /account/second-factor',
  'POST /account/second-factor/remove',
  'POST /account/recovery-codes',
  'DELETE /account/sessions/:id',
  'POST /account/sessions/end-others',
  'GET /roles',
  'GET /support-visits',
]

/** Routes of the sign-in, which check the session themselves. */
export const SIGN_IN_ROUTES: readonly string[] = [
  'POST /session',
  'POST /session/code',
  'GET /session',
  'GET /session/left',
  'DELETE /session',
  'POST /invitation/look',
  'POST /invitation',
]
