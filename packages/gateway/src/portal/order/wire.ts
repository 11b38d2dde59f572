import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Ids } from '../../adapters/postgres/connection/id-blocks.ts'
import { createDirectory } from '../../adapters/postgres/merchants/directory.ts'
import { createOrderReader } from '../../adapters/postgres/payments/order-reader.ts'
import { retrievalReference } from '../../adapters/processor-iso8583/message-identity.ts'
import { systemClock, type Clock } from '../../base/clock.ts'
import type { GatewayConfig } from '../../config/config.ts'
import { describeOperation } from '../../http/payment/operation-parameters.ts'
import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import type { TokenSite } from '../../usecases/card-tokens/token-site.ts'
import type { AdjustOrder } from '../../usecases/payments/adjustment-command.ts'
import type { TakePayment } from '../../usecases/payments/payment-command.ts'
import { statusOf, type PortalRoute } from '../shell/portal-route.ts'
import { orderRoutes } from './routes/order-routes.ts'
import { terminalRoutes } from './routes/terminal-routes.ts'
import { createOperationStore } from './store/operation-store.ts'
import { createNoteStore, createOrderFacts } from './store/order-facts.ts'
import { createOrderPageReader } from './store/order-page-reader.ts'
import { createRequestFinder } from './store/request-finder.ts'
import { createTerminalStore } from './store/terminal-store.ts'
import { createAdjustInPortal } from './usecases/adjust.ts'
import { createOperations, type Operations } from './usecases/operations.ts'
import { createPayInPortal } from './usecases/pay.ts'

interface OperationParts {
  readonly database: { readonly pool: pg.Pool }
  readonly ids: Ids
  readonly clock: Clock
  readonly pause: (ms: number) => Promise<void>
  /** Into the request log: what portal users do is found there as what programs do. */
  readonly logRequest: (entry: RequestLogEntry) => void
}

interface OrderParts extends OperationParts {
  readonly config: Pick<GatewayConfig, 'apiUserIdleDays'>
  /** The pool of payments: an order that is locked waits for no list. */
  readonly paymentPool: pg.Pool
  readonly monotonicMs: () => number
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustOrder
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
}

/** Users' operations on orders, once each. */
export function wireOperations({
  database,
  ids,
  clock,
  pause,
  logRequest,
}: OperationParts): Operations {
  const { pool } = database
  return createOperations({
    operations: createOperationStore(pool),
    clock,
    nextRequestId: () => ids.next('request'),
    findTransaction: createOrderReader(pool, retrievalReference).findTransaction,
    logRequest,
    describeOperation,
    statusOf,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    pause,
  })
}

/** The order page, and the virtual terminal. */
export function wireOrder(parts: OrderParts): readonly PortalRoute[] {
  const { config, database, ids, clock, monotonicMs, takePayment, adjustOrder, findTokenSite } =
    parts
  const { pool } = database
  const directory = createDirectory(pool, monotonicMs, config.apiUserIdleDays, clock)
  const readSite: typeof directory.readSite = async (merchantId, siteId) =>
    directory.recallSite(merchantId, siteId) ?? directory.readSite(merchantId, siteId)
  const operations = wireOperations(parts)
  const terminal = createTerminalStore(pool, (token) =>
    createHash('sha256').update(token.toUpperCase()).digest(),
  )
  const adjust = createAdjustInPortal({
    operations,
    // Asked while the order is locked: all captures and refunds wait for the answer, and portal
    // users' lists must not.
    store: createOperationStore(parts.paymentPool),
    adjustOrder,
    readSite,
    orders: createOrderFacts(parts.paymentPool),
  })
  const pay = createPayInPortal({
    operations,
    takePayment,
    readSite,
    nextId: ids.next,
    isKnown: terminal.isKnown,
    findEarlier: terminal.findEarlier,
  })
  return [
    ...orderRoutes({
      readOrder: createOrderPageReader(pool, retrievalReference),
      returnedBy: createOrderFacts(pool).returnedBy,
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
