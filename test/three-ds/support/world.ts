import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../packages/gateway/src/base/clock.ts'
import { freePorts } from '../../../packages/tollgate/test/free-ports.ts'
import { openBankTap, type BankTap } from '../../support/bank-tap.ts'
import { untilSeen } from '../../support/eventually.ts'
import { startRunningGateway, type RunningGateway } from '../../support/running-gateway.ts'
import { bankRequests, cavvFindings, type BankRequest } from './bank-requests.ts'
import { control, readJournal, type JournalLine } from './journal.ts'
import type { RecordingDirectory } from './recording-directory.ts'
import { openScriptedBrowser, type ScriptedBrowser } from './scripted-browser.ts'
import { createThreeDsShop, type ThreeDsShop } from './shop.ts'

/** The machine's time, and what a test adds to it. It never goes back. */
export interface MovableClock extends Clock {
  forward(ms: number): void
}

export function movableClock(): MovableClock {
  let ahead = 0
  return { now: () => new Date(Date.now() + ahead), forward: (ms) => void (ahead += ms) }
}

/** A gateway, the bank behind a cable that is listened to, and the simulated DS and ACS. */
export interface World {
  readonly gateway: RunningGateway
  readonly tap: BankTap
  readonly clock: MovableClock
  readonly browser: ScriptedBrowser
  shop(site?: 1001 | 1002 | 1003): ThreeDsShop
  /** The requests that an operation makes the gateway send to the bank, and their results. */
  watch<T>(act: () => Promise<T>): Promise<{
    readonly result: T
    readonly sent: readonly BankRequest[]
    readonly letters: string
  }>
  journal(after?: number): Promise<readonly JournalLine[]>
  /** The next AReqs are answered with this fault, for every card. */
  fault(name: string, count?: number): Promise<void>
  stop(): Promise<void>
}

export interface WorldOptions {
  /** How much faster than the protocol's the simulator's time goes. */
  readonly timeScale?: number
  readonly settings?: Readonly<Record<string, string>>
}

/** Settings that give a gateway an address of its own, by which pages and issuers name it. */
async function addressSettings(): Promise<Record<string, string>> {
  const [port = 0] = await freePorts(1)
  return { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, THREE_DS_RESULTS_PORT: '0' }
}

const TRIES = 3

/** Starts a gateway at an address of its own; at another one where a process was faster. */
async function startAtFreeAddress(
  settings: Readonly<Record<string, string>>,
  start: (all: Record<string, string>) => Promise<RunningGateway>,
): Promise<RunningGateway> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await start({ ...(await addressSettings()), ...settings })
    } catch (error) {
      if (left === 0 || !String(error).includes('EADDRINUSE')) throw error
    }
  }
}

/** Starts everything, and waits until the card ranges are known. */
export async function startWorld({
  timeScale = 10,
  settings = {},
}: WorldOptions = {}): Promise<World> {
  const clock = movableClock()
  let tap: BankTap | null = null
  const listen = async (bankPort: number): Promise<number> =>
    (tap = await openBankTap(bankPort)).port
  const gateway = await startAtFreeAddress(settings, (all) =>
    startRunningGateway(all, listen, {}, { timeScale }, clock),
  )
  const cable = tap as BankTap | null
  if (cable === null) throw new Error('There is no cable between gateway and bank.')
  const folder = join(gateway.nodeSettings['DATA_DIR'] ?? '', 'bank', 'three-ds')
  const browser = openScriptedBrowser(readFileSync(join(folder, 'ca.pem'), 'utf8'))
  const world: World = {
    gateway,
    tap: cable,
    clock,
    browser,
    shop: (site = 1001) => createThreeDsShop({ baseUrl: gateway.baseUrl, site }),
    async watch(act) {
      const before = bankRequests(cable).length
      const answered = cavvFindings(cable).length
      const result = await act()
      return {
        result,
        sent: bankRequests(cable).slice(before),
        letters: cavvFindings(cable).slice(answered).join(''),
      }
    },
    journal: (after) => readJournal(gateway.bank, after),
    fault: async (name, count = 1) =>
      void (await control(gateway.bank, 'POST', '/three-ds/faults', { fault: name, count })),
    async stop() {
      await gateway.stop()
      await cable.close()
    },
  }
  try {
    await untilRangesAreKnown(world.shop())
  } catch (error) {
    await world.stop()
    throw error
  }
  return world
}

/** A gateway whose Directory Server is the test's own, so that it can inspect and answer freely. */
export interface RecordedWorld {
  readonly gateway: RunningGateway
  readonly tap: BankTap
  readonly clock: MovableClock
  readonly directory: RecordingDirectory
  readonly browser: ScriptedBrowser
  shop(site?: 1001 | 1002 | 1003): ThreeDsShop
  /** The address for results of challenges, from the last AReq. */
  resultsUrl(): string
  stop(): Promise<void>
}

export async function startRecordedWorld(
  directory: RecordingDirectory,
  {
    settings = {},
    waits = true,
  }: { readonly settings?: Readonly<Record<string, string>>; readonly waits?: boolean } = {},
): Promise<RecordedWorld> {
  const clock = movableClock()
  let tap: BankTap | null = null
  const listen = async (bankPort: number): Promise<number> =>
    (tap = await openBankTap(bankPort)).port
  // No simulator: the folder has the address of the Directory Server, which is the test's.
  const own = { DATA_DIR: directory.dataDir, ...settings }
  const gateway = await startAtFreeAddress(own, (all) =>
    startRunningGateway(all, listen, {}, null, clock),
  )
  const cable = tap as BankTap | null
  if (cable === null) throw new Error('There is no cable between gateway and bank.')
  const world: RecordedWorld = {
    gateway,
    tap: cable,
    clock,
    directory,
    browser: openScriptedBrowser(directory.certificates.ca),
    shop: (site = 1001) => createThreeDsShop({ baseUrl: gateway.baseUrl, site }),
    resultsUrl: () => String(directory.questions().at(-1)?.['threeDSServerURL']),
    async stop() {
      await gateway.stop()
      await cable.close()
      await directory.close()
    },
  }
  try {
    if (waits) await untilRangesAreKnown(world.shop())
  } catch (error) {
    await world.stop()
    throw error
  }
  return world
}

/** Resolves when a card that is always authenticated is. */
export async function untilRangesAreKnown(shop: ThreeDsShop): Promise<void> {
  await untilSeen(
    'a card that is always authenticated is',
    async () => (await shop.enrol('4000000000002701')).answer,
    (answer) => answer['P3DS_RESPONSE'] === 'Y',
    { everyMs: 100 },
  )
}

/** The parts of an answer that state the result of a payment, in one line. */
export function gist(answer: Readonly<Record<string, string>>): string {
  const field = (name: string): string => answer[name] ?? ''
  const api = field('API_RESPONSE')
  if (api !== '0') return `${api} ${field('REF_FIELD')}`
  return [field('TRANS_STATUS_NAME'), field('P3DS_RESPONSE'), field('P3DS_ECI')]
    .map((part) => part || '-')
    .join(' ')
}
