import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isTestBank } from '../bank-role.ts'
import type { BankRole } from '../bank-role.ts'
import { StartupError, reasonOf } from '../startup-error.ts'
import { AccessControl } from './access-control.ts'
import { BrowserSide, releasePage } from './browser-side.ts'
import { checkCavv } from './cavv-check.ts'
import type { CavvCheck } from './cavv-check.ts'
import { openCertificates } from './certificates.ts'
import { ChallengeStore } from './challenge-store.ts'
import { answerControl } from './control.ts'
import type { ControlReply } from './control.ts'
import { DirectoryServer } from './directory-server.ts'
import { openHttpsListener } from './https-listener.ts'
import type { HttpsListener, HttpsListenerOptions } from './https-listener.ts'
import { MessageJournal } from './message-journal.ts'
import { deliverResult } from './result-delivery.ts'
import { Scenarios } from './scenarios.ts'
import { createSchedule } from './schedule.ts'
import type { Schedule } from './schedule.ts'
import { openKey } from './secret-key.ts'
import { Transactions } from './transactions.ts'

/** The requested port: 0 for any free one. */
export interface PortSetting {
  readonly port: number
  /** No setting requested this port, so a free one may replace it if it is in use. */
  readonly mayMove: boolean
}

/** The addresses to listen on, and the names in the published URLs. */
export interface ThreeDsSettings {
  readonly ds: PortSetting
  readonly acs: PortSetting
  readonly acsBack: PortSetting
  /** Host names in the published addresses. */
  readonly dsHost: string
  readonly acsHost: string
  /** How many times faster than the protocol time passes: 1 for its own pace. */
  readonly timeScale: number
}

export interface ThreeDsOptions extends ThreeDsSettings {
  /** Address to listen on. */
  readonly host: string
  /** The bank's folder; the simulator has a folder of its own in it. */
  readonly bankFolder: string
  readonly role: BankRole
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** For tests that move the time themselves. */
  readonly schedule?: Schedule
}

/** The URLs and files of the simulator. */
export interface ThreeDsAddresses {
  /** Takes AReq, PReq, RReq and Erro. */
  readonly dsUrl: string
  readonly acsBackUrl: string
  /** Takes the CReq of a browser. */
  readonly acsUrl: string
  readonly methodUrl: string
}

export interface ThreeDs {
  readonly addresses: ThreeDsAddresses
  readonly cavvCheck: CavvCheck
  /** Answers a request of the control API under `/three-ds/`. */
  control(method: string, url: string, readBody: () => Promise<unknown>): Promise<ControlReply>
  close(): Promise<void>
}

/** The simulator's folder inside the bank's. */
export const THREE_DS_FOLDER = 'three-ds'
/** The file in it that holds the addresses, while it runs. */
export const ADDRESSES_NAME = 'addresses.json'

/**
 * Opens the simulated Directory Server and ACS, for a bank that has test cards only. Throws
 * StartupError for any other bank, or when a port is not available.
 */
export async function openThreeDs(options: ThreeDsOptions): Promise<ThreeDs> {
  const { bankFolder, host, now, role } = options
  if (!isTestBank(role)) {
    throw new StartupError(
      'The simulated 3-D Secure servers authenticate test cards for nothing. They only run beside ' +
        'the sandbox bank, and this bank has another role.',
    )
  }
  const folder = join(bankFolder, THREE_DS_FOLDER)
  const certificates = await openCertificates(folder, now(), [options.dsHost, options.acsHost])
  const cavvKey = await openKey(join(folder, 'cavv-key'))
  const schedule = options.schedule ?? createSchedule(now, options.timeScale)
  const journal = new MessageJournal(now)
  const transactions = new Transactions()
  const scenarios = new Scenarios()
  const urls = { ds: '', acsBack: '', acs: '', method: '' }
  const challenges = new ChallengeStore({
    schedule,
    cavvKey,
    deliver: (rreq) => deliverResult({ certificates, schedule, dsUrl: () => urls.ds }, rreq),
    release: (transaction, message) => releasePage(journal, transaction, message),
  })
  const directory = new DirectoryServer({
    certificates,
    schedule,
    journal,
    transactions,
    scenarios,
    urls,
  })
  const access = new AccessControl({ transactions, cavvKey, challenges, acsUrl: () => urls.acs })
  const browsers = new BrowserSide({
    transactions,
    scenarios,
    journal,
    pageKey: randomBytes(32),
    challenges: () => challenges,
  })
  const opened: HttpsListener[] = []
  const open = async (
    setting: string,
    at: PortSetting,
    parts: Pick<HttpsListenerOptions, 'answer' | 'clientCa' | 'credential'>,
  ): Promise<number> => {
    try {
      const listener = await openHttpsListener({ host, ...at, ...parts })
      opened.push(listener)
      return listener.port
    } catch (error) {
      throw new StartupError(
        `The simulated 3-D Secure servers cannot listen on ${host} port ${at.port}: ` +
          `${reasonOf(error)}. Choose another ${setting}.`,
        { cause: error },
      )
    }
  }
  const closeAll = async () => {
    schedule.stop()
    transactions.clear()
    directory.close()
    await Promise.all(opened.map((listener) => listener.close()))
  }
  try {
    const dsPort = await open('BANK_DS_PORT', options.ds, {
      credential: certificates.ds,
      clientCa: certificates.ca,
      answer: (request) => directory.answer(request),
    })
    const acsPort = await open('BANK_ACS_PORT', options.acs, {
      credential: certificates.acs,
      clientCa: null,
      answer: (request) => browsers.answer(request),
    })
    const acsBackPort = await open('BANK_ACS_BACK_PORT', options.acsBack, {
      credential: certificates.acs,
      clientCa: certificates.ca,
      answer: (request) => access.answer(request),
    })
    urls.ds = `https://${options.dsHost}:${dsPort}/ds`
    urls.acsBack = `https://${options.dsHost}:${acsBackPort}/acs/areq`
    urls.acs = `https://${options.acsHost}:${acsPort}/acs/creq`
    urls.method = `https://${options.acsHost}:${acsPort}/acs/method`
  } catch (error) {
    await closeAll()
    throw error
  }
  const addresses: ThreeDsAddresses = {
    dsUrl: urls.ds,
    acsBackUrl: urls.acsBack,
    acsUrl: urls.acs,
    methodUrl: urls.method,
  }
  const addressFile = join(folder, ADDRESSES_NAME)
  await writeFile(addressFile, `${JSON.stringify(addresses)}\n`, { mode: 0o600 })
  return {
    addresses,
    cavvCheck: checkCavv(cavvKey, transactions),
    control: (method, url, readBody) =>
      answerControl({ directory, journal, scenarios, transactions }, method, url, readBody),
    close: async () => {
      await rm(addressFile, { force: true })
      await closeAll()
    },
  }
}
