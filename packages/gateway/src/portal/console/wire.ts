import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { generateRecoveryCodes } from '../../adapters/credentials/second-factor.ts'
import {
  readAccountFile,
  readDetailsText,
  readThreeDsText,
} from '../../adapters/operator-files/account-file.ts'
import { certificateText } from '../../adapters/operator-files/certificate-text.ts'
import { readFeePlanFile } from '../../adapters/operator-files/fee-plan-file.ts'
import { listLinks, readLink } from '../../adapters/postgres/banks/link-admin.ts'
import { createMerchantReader } from '../../adapters/postgres/merchants/merchant-reader.ts'
import { linkKeyBinding, operatorSecondFactorBinding } from '../../adapters/vault/secret-seal.ts'
import type { GatewayConfig } from '../../config/config.ts'
import { readLinkFile } from '../../config/link-file.ts'
import { pemsAmong } from '../../config/pem-files.ts'
import { CONSOLE_FOLDER, readPortalFiles } from '../shell/portal-files.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import type { JournalNames } from '../shell/store/sign-in-journal.ts'
import { createSupportVisitStore } from '../shell/store/support-visit-store.ts'
import { createInvitations } from '../shell/usecases/invitations.ts'
import {
  createBeginVisit,
  createEndOverVisits,
  createEndVisit,
  type SupportVisitStore,
} from '../shell/usecases/support-visits.ts'
import { wireSignInSteps, type SignInParts } from '../shell/wire-sign-in.ts'
import type { ConsoleDeps } from './console-service.ts'
import { accessRoutes } from './routes/access-routes.ts'
import type { ConsoleRoute } from './routes/console-route.ts'
import { featureRoutes } from './routes/feature-routes.ts'
import { feeRoutes } from './routes/fee-routes.ts'
import { healthRoutes } from './routes/health-routes.ts'
import { keyRoutes } from './routes/key-routes.ts'
import { linkRoutes } from './routes/link-routes.ts'
import { merchantsRoutes } from './routes/merchants-routes.ts'
import { operatorsRoutes, type LinkAddress } from './routes/operators-routes.ts'
import { portalUserRoutes, type PortalUserRoutesDeps } from './routes/portal-user-routes.ts'
import { requestRoutes } from './routes/request-routes.ts'
import { setUpRoutes } from './routes/set-up-routes.ts'
import { visitRoutes } from './routes/visit-routes.ts'
import {
  createConsoleSignInStore,
  createOperatorInvitationStore,
  createOwnAccessStore,
} from './store/console-sign-in-store.ts'
import { readMerchantFees } from './store/fees-reader.ts'
import { createHealthReader } from './store/health-store.ts'
import { createOperatorsRecords } from './store/operators-records.ts'
import { createOperatorsAdmin } from './usecases/change-operators.ts'
import { OPERATOR_NAMES, type ConsoleOperator } from './usecases/console-operator.ts'
import { createConsoleSessions } from './usecases/console-sessions.ts'
import { createDecideRequests, createExpireRequests } from './usecases/decide-requests.ts'
import type { LinkDeps } from './usecases/new-link.ts'
import { createOperateFeatures } from './usecases/operate-features.ts'
import { createOperateFees } from './usecases/operate-fees.ts'
import { createOperateLinks, type OperateLinks } from './usecases/operate-links.ts'
import { createOperateMerchants } from './usecases/operate-merchants.ts'
import { createResetPortalUser } from './usecases/operate-portal-users.ts'
import type { OperatorsStore } from './usecases/operators-store.ts'
import { createOwnAccess, type OwnAccess } from './usecases/own-access.ts'
import type { PortalUserLinks } from './usecases/portal-user-links.ts'
import { createRequestKeyOperation } from './usecases/request-key-operations.ts'
import { createSetUpMerchants } from './usecases/set-up-merchants.ts'
import type { VisitServiceDeps } from './visit-service.ts'
import { visitPlace } from './wire-visits.ts'

/** The parts that the console is made of. */
export interface ConsoleParts extends SignInParts {
  readonly config: Pick<GatewayConfig, 'mode' | 'portal' | 'consoleUrl' | 'smtp' | 'tls'>
  /** The routes of the portal, which an operator sees in a visit. */
  readonly portalRoutes: readonly PortalRoute[]
  readonly portalUsers: Pick<PortalUserRoutesDeps, 'list' | 'inviteFirst'> & {
    /** On the connection of a transaction. */
    on(client: pg.ClientBase): PortalUserLinks
    readonly addressOf: LinkAddress
  }
}

const NAMES: JournalNames<ConsoleOperator> = {
  ...OPERATOR_NAMES,
  failed: 'operator.sign_in_failed',
  locked: 'operator.locked',
  unknown: 'console:(unknown)',
  many: 'many operators',
}

const SIGN_IN = {
  names: NAMES,
  counted: 'operator',
  passwordAttempts: 'console sign-in',
  codeAttempts: 'console second factor',
  session: 'console session',
  secondFactorBinding: operatorSecondFactorBinding,
} as const

/** The operator's console, and the work that it leaves to its process. */
export function wireConsole(parts: ConsoleParts): {
  readonly console: ConsoleDeps['console']
  readonly visits: VisitServiceDeps['visits']
  /** Enters the end of support visits that are over. */
  readonly endOverVisits: () => Promise<boolean>
  /** Ends requests whose 24 hours are over. */
  readonly expireRequests: () => Promise<boolean>
  /** Enters what the audit log was spared, and forgets what counts no more. */
  tidy(): Promise<void>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
} {
  const { config } = parts
  const { pool } = parts.database
  // Every operator shows a second factor, also in a sandbox: they can disable merchants.
  const policy = { ...config.portal, secondFactorRequired: true }
  const steps = wireSignInSteps(parts, SIGN_IN)
  const { names, randomToken, digest } = steps.signIn
  const sessions = createConsoleSessions({
    ...steps.signIn,
    store: createConsoleSignInStore(pool, policy),
  })
  const store = createOperatorsRecords(pool, policy.idleDays, parts.portalUsers.on)
  const records = { store, randomToken, digest }
  const access = createOwnAccess({
    ...steps.credentials,
    store: createOwnAccessStore(pool),
    checkPassword: sessions.checkPassword,
    secondFactor: steps.secondFactor,
    makeRecoveryCodes: generateRecoveryCodes,
  })
  const visits = createSupportVisitStore(pool)
  const guard = {
    ...steps.guard,
    publicOrigin: config.consoleUrl,
    cookie: { name: 'tollgate_console', path: '/' },
    onAnswer: parts.metrics.watchPages('console'),
  }
  return {
    visits: visitPlace(parts, visits, sessions, guard),
    console: {
      ...guard,
      files: readPortalFiles(CONSOLE_FOLDER),
      sessions,
      invitations: createInvitations({
        ...steps.credentials,
        store: createOperatorInvitationStore(pool),
        names,
        randomToken,
        digest,
      }),
      routes: consoleRoutes(parts, records, access, visits),
    },
    endOverVisits: createEndOverVisits(visits),
    expireRequests: createExpireRequests(records.store),
    tidy: steps.tidy,
    idle: steps.idle,
  }
}

/** All routes of the console behind the sign-in. */
function consoleRoutes(
  parts: ConsoleParts,
  records: LinkDeps & { readonly store: OperatorsStore },
  access: OwnAccess,
  visits: SupportVisitStore,
): readonly ConsoleRoute[] {
  const {
    config,
    database: { pool },
  } = parts
  const requests = createDecideRequests(records)
  const { portalUsers } = parts
  const addressOf: LinkAddress = (link) => {
    if (link.opens === 'portal') return portalUsers.addressOf(link)
    const { token, expiresAt } = link
    return { address: invitationAddress(config.consoleUrl, token), expiresAt }
  }
  return [
    ...accessRoutes(access),
    ...merchantsRoutes({
      reader: createMerchantReader(pool),
      merchants: createOperateMerchants(records.store),
      requests,
    }),
    ...feeRoutes(
      createOperateFees(records.store, (id) => readMerchantFees(pool, id), readFeePlanFile),
      requests,
    ),
    ...featureRoutes(createOperateFeatures(records.store), readThreeDsText, readDetailsText),
    ...setUpRoutes(createSetUpMerchants(records.store, readAccountFile)),
    ...portalUserRoutes({
      ...portalUsers,
      reset: createResetPortalUser(records.store),
      addressOf,
    }),
    ...linkRoutes(linksOf(parts, records.store), () => listLinks(pool)),
    ...operatorsRoutes(createOperatorsAdmin(records), addressOf),
    ...requestRoutes(requests, addressOf),
    ...keyRoutes(createRequestKeyOperation(records.store)),
    ...healthRoutes(healthReader(parts)),
    ...visitRoutes({
      // Without a mail server, a sandbox catches mails.
      beginVisit: createBeginVisit(visits, config.smtp !== null || config.mode === 'sandbox'),
      endVisit: createEndVisit(visits),
      listVisits: visits.listVisits,
    }),
  ]
}

/** A browser sends the files of a link; none of this machine is read. */
function linksOf(
  { clock, database: { pool }, seal }: ConsoleParts,
  { transact }: OperatorsStore,
): OperateLinks {
  return createOperateLinks({
    transact,
    readLink: (name) => readLink(pool, name),
    readFile: ({ file, pem }) => readLinkFile(file, pemsAmong(pem), clock.now()),
    sealKey: (key, name) => seal.seal(key, linkKeyBinding(name)),
    certificateText,
  })
}

/** The certificate of this gateway is read each time, because it may be renewed while it runs. */
function healthReader({ config: { tls }, database: { pool } }: ConsoleParts) {
  const own = () =>
    tls === null ? [] : [{ what: 'This gateway', pem: readFileSync(tls.certFile, 'utf8') }]
  return createHealthReader(pool, () => listLinks(pool), own)
}

/** The address of a link for an operator; the token stays behind the #. */
export function invitationAddress(consoleUrl: string, token: string): string {
  return `${consoleUrl}/console/invitation#${token}`
}
