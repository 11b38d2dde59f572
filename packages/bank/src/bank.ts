import { HOUSE_BCD_PROFILE, HOUSE_PROFILE, compileProfile } from '@tollgate/iso8583'
import { createLinkServer, hasSignOnProof } from '@tollgate/iso8583'
import type { LinkServer, LinkServerOptions } from '@tollgate/iso8583'
import { FaultRules } from './acquirer/fault-rules.ts'
import { FaultyHost } from './acquirer/faulty-host.ts'
import { Host } from './acquirer/host.ts'
import type { ChangeAnswering } from './answering.ts'
import { TEST_BANK } from './bank-role.ts'
import type { BankRole } from './bank-role.ts'
import type { Books } from './books/books.ts'
import { openBooks } from './books/open-books.ts'
import { linkWarnings } from './bounded-warning.ts'
import { openControlServer } from './control/control-server.ts'
import type { ControlOptions, ControlServer } from './control/control-server.ts'
import { openCardFile } from './issuer/card-file.ts'
import { startSettling } from './settling-bank.ts'
import type { SettlingBank } from './settling-bank.ts'
import { StartupError, reasonOf } from './startup-error.ts'
import { openThreeDs } from './three-ds/three-ds.ts'
import type { ThreeDs, ThreeDsAddresses, ThreeDsSettings } from './three-ds/three-ds.ts'

export interface BankOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Port of the control API on the loopback address; 0 for any free one, none for no such API. */
  readonly controlPort?: number
  /** The simulated Directory Server and ACS; none without. Only the test bank can have them. */
  readonly threeDs?: ThreeDsSettings
  /** The folder of the books; the bank creates it if it is missing. */
  readonly folder: string
  /** How long the gateway waits for an answer; default 25000 ms. Late answers come after it. */
  readonly gatewayTimeoutMs?: number
  /**
   * Whether the bank looks each minute for settlement files of ended days; true unless given. Tests
   * that plant differences say when each file is made.
   */
  readonly makesDueFiles?: boolean
  /** The test bank's unless given. */
  readonly role?: BankRole
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Receives whole sentences for the operator, without card data. */
  readonly warn: (sentence: string) => void
  /**
   * Called once when the bank cannot keep its books any more. It answers nothing from then on, and
   * the process should end: the gateway reverses what was not answered.
   */
  readonly onFatal: (error: unknown) => void
  /** For the torture run, which breaks a rule to check that it reports it. */
  readonly changeAnswering?: ChangeAnswering
}

export interface Bank {
  readonly port: number
  /** The control API's address, without a slash at its end; null where there is none. */
  readonly controlUrl: string | null
  /** Null where there is no simulated 3-D Secure. */
  readonly threeDs: ThreeDsAddresses | null
  readonly books: Books
  /** Accepts no new requests, answers the open ones, saves the books and releases the folder. */
  stop(): Promise<void>
}

const DEFAULT_GATEWAY_TIMEOUT_MS = 25_000

/** Opens the books and listens for the gateway. Throws StartupError when either is not possible. */
export async function startBank(options: BankOptions): Promise<Bank> {
  const { folder, host, now, role = TEST_BANK, warn } = options
  const { changeAnswering = (answering) => answering } = options
  let failed = false
  const fail = (error: unknown) => {
    if (failed) return
    failed = true
    options.onFatal(error)
  }
  const store = await openBooks({ folder, now, warn, onFailure: fail })
  const { accountIds, books, journal } = store
  const findCard = openCardFile(accountIds)
  const codec = compileProfile(role.profile === 'house' ? HOUSE_PROFILE : HOUSE_BCD_PROFILE)
  const rules = new FaultRules()
  let threeDs: ThreeDs | null = null
  let settling: SettlingBank
  try {
    if (options.threeDs !== undefined) {
      threeDs = await openThreeDs({ ...options.threeDs, host, bankFolder: folder, role, now })
    }
    settling = await startSettling(store, { ...options, triggers: role.triggers })
  } catch (error) {
    await threeDs?.close()
    await store.close()
    throw error
  }
  const closeParts = () => Promise.all([settling.stop(), threeDs?.close()])
  const acquirer = new FaultyHost({
    host: new Host({
      books,
      journal,
      findCard,
      now,
      triggers: role.triggers,
      ...(threeDs === null ? {} : { cavvCheck: threeDs.cavvCheck }),
    }),
    books,
    rules,
    codec,
    triggers: role.triggers,
    gatewayTimeoutMs: options.gatewayTimeoutMs ?? DEFAULT_GATEWAY_TIMEOUT_MS,
  })
  const answer = changeAnswering((message, session) => acquirer.answer(message, session), books)
  const serverOptions: LinkServerOptions = {
    host,
    port: options.port,
    codec,
    ...(role.tls === null ? {} : { tls: role.tls }),
    onMessage: (message, session) => (failed ? null : answer(message, session)),
    onHandlerError: fail,
    ...signOnTerms(role),
    ...linkWarnings(warn, now),
  }
  let control: ControlServer | null = null
  try {
    const server = openLinkServer(serverOptions)
    control = await openControl(options, {
      books,
      accountIds,
      rules,
      secret: role.secret,
      faultsDone: acquirer.done,
      journal,
      settling,
      threeDs,
    })
    const { port } = await listenForGateway(server, options)
    return {
      port,
      controlUrl: control?.url ?? null,
      threeDs: threeDs?.addresses ?? null,
      books,
      stop: async () => {
        await control?.close()
        await closeParts()
        await acquirer.stop()
        await server.close()
        // After a failure memory and disk differ, and only the disk is right.
        if (failed) await store.abandon()
        else await store.close()
      },
    }
  } catch (error) {
    await control?.close()
    await closeParts()
    await store.close()
    throw error
  }
}

function openLinkServer(options: LinkServerOptions): LinkServer {
  try {
    return createLinkServer(options)
  } catch (error) {
    throw new StartupError(
      `BANK_TLS_CERT, BANK_TLS_KEY or BANK_TLS_CLIENT_CA is invalid: ${reasonOf(error)}.`,
      { cause: error },
    )
  }
}

/** The conditions of a sign-on. */
function signOnTerms({
  institutionId,
  secret,
}: BankRole): Pick<LinkServerOptions, 'institutionId' | 'isProven'> {
  return {
    ...(institutionId === null ? {} : { institutionId }),
    ...(secret === null ? {} : { isProven: (message) => hasSignOnProof(message, secret) }),
  }
}

async function openControl(
  { controlPort: port, folder }: BankOptions,
  parts: Omit<ControlOptions, 'port' | 'folder'>,
): Promise<ControlServer | null> {
  if (port === undefined) return null
  try {
    return await openControlServer({ port, folder, ...parts })
  } catch (error) {
    throw listenFault(error, `127.0.0.1 port ${port}`, 'BANK_CONTROL_PORT')
  }
}

async function listenForGateway(
  server: LinkServer,
  { host, port }: BankOptions,
): Promise<{ port: number }> {
  try {
    return await server.listen()
  } catch (error) {
    throw listenFault(error, `${host} port ${port}`, 'BANK_PORT', 'BANK_HOST')
  }
}

function listenFault(
  error: unknown,
  place: string,
  portSetting: string,
  hostSetting?: string,
): StartupError {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  const settings = hostSetting === undefined ? portSetting : `${hostSetting} or ${portSetting}`
  const fault = isTaken
    ? `something else uses it. Stop that, or choose another ${portSetting}.`
    : `${reasonOf(error)}. Choose another ${settings}.`
  return new StartupError(`The bank cannot listen on ${place}: ${fault}`, { cause: error })
}
