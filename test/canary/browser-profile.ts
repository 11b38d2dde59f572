import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { killAll, leftBehind } from '../../packages/tollgate/test/program.ts'
import { CHROMIUM } from '../browser/find-chromium.ts'
import { eventually } from '../support/eventually.ts'
import { filesUnder } from './files-under.ts'
import { readProcesses, withChildren } from './processes.ts'
import type { ProgramRun } from './program-run.ts'

/** The folder of the profiles of a run's browsers. */
export function profilesOf(run: ProgramRun): string {
  return join(run.folder, 'browsers')
}

/** A browser as a customer has it: it keeps cookies, history, sessions and form entries. */
export interface CustomerBrowser {
  readonly page: Page
  /** Cookies, local storage and databases, which may be encrypted or compressed on disk. */
  kept(): Promise<string>
  /** Resolves once these bytes are in what it keeps of its pages in case of a crash. */
  untilOnDisk(bytes: Buffer): Promise<void>
  /** SIGKILL to the processes that show pages; true when there were some. */
  killTabs(): Promise<void>
  /** SIGKILL to all of it. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** Opens one whose files, temporary ones included, are all in a folder of that name. */
export async function openBrowser(run: ProgramRun, name: string): Promise<CustomerBrowser> {
  const folder = join(profilesOf(run), name)
  const [profile, home, tmp] = ['profile', 'home', 'tmp'].map((each) => join(folder, each)) as [
    string,
    string,
    string,
  ]
  for (const each of [profile, home, tmp]) mkdirSync(each, { recursive: true })
  const mark = folder
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM ?? 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--enable-crash-reporter',
    ],
    // It shall keep what a customer's keeps.
    ignoreDefaultArgs: [
      '--disable-breakpad',
      '--disable-back-forward-cache',
      '--disable-component-extensions-with-background-pages',
    ],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: tmp, TOLLGATE_TEST_MARK: mark },
  })
  const [page = await context.newPage()] = context.pages()
  const pids = (): number[] => withChildren(leftBehind(mark, profile))
  return {
    page,
    kept: async () => JSON.stringify(await context.storageState({ indexedDB: true })),
    async untilOnDisk(sought) {
      await eventually(`the browser writes ${sought.toString('latin1')} to its disk`, () => {
        const files = [...filesUnder(join(profile, 'Default', 'Sessions'))]
        return files.some(({ bytes }) => bytes.includes(sought))
      })
    },
    async killTabs() {
      const tabs = readProcesses(pids()).filter(({ commandLine }) =>
        commandLine.includes('--type=renderer'),
      )
      if (tabs.length === 0) throw new Error('The browser has no process that shows a page.')
      const crashed = page.waitForEvent('crash')
      killAll(tabs.map(({ pid }) => pid))
      await crashed
    },
    async kill() {
      const closed = context.waitForEvent('close')
      killAll(pids())
      await closed
    },
    close: () => context.close(),
  }
}
