import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { createDirectory } from '../../adapters/postgres/merchants/directory.ts'
import { createOrderReader } from '../../adapters/postgres/payments/order-reader.ts'
import { retrievalReference } from '../../adapters/processor-iso8583/message-identity.ts'
import { systemClock } from '../../base/clock.ts'
import { pause, type Foundation } from '../../wiring/foundation.ts'
import type { PortalUses } from '../../wiring/portal.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { orderRoutes } from './routes/order-routes.ts'
import { terminalRoutes } from './routes/terminal-routes.ts'
import { createActStore } from './store/act-store.ts'
import { createNoteStore, createOrderFacts } from './store/order-facts.ts'
import { createOrderPageReader } from './store/order-page-reader.ts'
import { createRequestFinder } from './store/request-finder.ts'
import { createTerminalStore } from './store/terminal-store.ts'
import { createActs, type Acts } from './usecases/acts.ts'
import { createAdjustAsPerson } from './usecases/adjust.ts'
import { createPayAsPerson } from './usecases/pay.ts'

/** What people do with orders, once each. */
export function wireActs(
  { database, ids, clock }: Foundation,
  { logRequest }: Pick<PortalUses, 'logRequest'>,
): Acts {
  const { pool } = database
  return createActs({
    acts: createActStore(pool),
    clock,
    nextRequestId: () => ids.next('request'),
    findTransaction: createOrderReader(pool, retrievalReference).findTransaction,
    logRequest,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    pause,
  })
}

/** The order page, and the virtual terminal. */
export function wireOrder(
  foundation: Foundation & PortalUses & { readonly paymentPool: pg.Pool },
): readonly PortalRoute[] {
  const { config, database, ids, clock, monotonicMs, takePayment, adjustOrder, findTokenSite } =
    foundation
  const { pool } = database
  const directory = createDirectory(pool, monotonicMs, config.apiUserIdleDays, clock)
  const readSite: typeof directory.readSite = async (merchantId, siteId) =>
    directory.recallSite(merchantId, siteId) ?? directory.readSite(merchantId, siteId)
  const acts = wireActs(foundation, foundation)
  const terminal = createTerminalStore(pool, (token) =>
    createHash('sha256').update(token.toUpperCase()).digest(),
  )
  const adjust = createAdjustAsPerson({
    acts,
    // Asked while the order is locked: all captures and refunds wait for the answer, and people's
    // lists must not.
    store: createActStore(foundation.paymentPool),
    adjustOrder,
    readSite,
    orders: createOrderFacts(foundation.paymentPool),
  })
  const pay = createPayAsPerson({
    acts,
    takePayment,
    readSite,
    nextId: ids.next,
    isKnown: terminal.isKnown,
    findEarlier: terminal.findEarlier,
  })
  return [
    ...orderRoutes({
      readOrder: createOrderPageReader(pool, retrievalReference),
      adjust,
      pay,
      notes: createNoteStore(pool),
      findSource: terminal.findSource,
      findTransaction: createOrderReader(pool, retrievalReference).findTransaction,
      findRequest: createRequestFinder(pool),
    }),
    ...terminalRoutes({
      pay,
      sites: terminal.sites,
      findCards: terminal.findCards,
      findTokenSite,
      now: systemClock.now,
      uniqueId: () => randomBytes(16).toString('hex'),
    }),
  ]
}
