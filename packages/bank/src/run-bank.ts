import type { ChangeAnswering } from './answering.ts'
import { readBankConfig } from './bank-config.ts'
import { createBankLog, type BankLog } from './bank-log.ts'
import { startBank } from './bank.ts'
import type { Bank } from './bank.ts'
import { StartupError, reasonOf } from './startup-error.ts'

export type { Answering, ChangeAnswering } from './answering.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Runs this process as the bank until a signal to stop; resolves when it is ready.
 * `changeAnswering` wraps the host; only tests of broken rules use it.
 */
export async function runBank(
  environment: Environment,
  changeAnswering?: ChangeAnswering,
): Promise<void> {
  const log = createBankLog(environment, Date.now)
  const fail = (sentence: string): never => {
    log.fatal(sentence)
    process.exit(1)
  }
  // By default, Node would print all that the error holds, for example a card's message.
  process.on('uncaughtException', (error: unknown) => {
    const fault = error instanceof Error ? error : new Error()
    const places = fault.stack?.split('\n').filter((line) => /^ +at /.test(line)) ?? []
    fail([`The bank ends by an uncaught error: ${fault.name}.`, ...places].join('\n'))
  })

  // After a signal to stop while the books are still being read, the bank stops once they are.
  let bank: Bank | null = null
  let stopping = false

  async function stop(): Promise<void> {
    if (stopping) return
    stopping = true
    if (bank === null) return
    try {
      await bank.stop()
      process.exit(0)
    } catch (error) {
      fail(`The bank could not save its books when it stopped: ${reasonOf(error)}`)
    }
  }

  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  // The parent is gone: otherwise no process would ever stop this one.
  process.on('disconnect', () => void stop())

  const opened = await open(environment, log, fail, changeAnswering)
  bank = opened
  if (stopping) {
    stopping = false
    await stop()
  }
  const { controlUrl, port, threeDs } = opened
  log.info('bank ready', { port, controlUrl, threeDs })
  process.send?.({ kind: 'ready', port, threeDs })
}

async function open(
  environment: Environment,
  log: BankLog,
  fail: (sentence: string) => never,
  changeAnswering?: ChangeAnswering,
): Promise<Bank> {
  try {
    return await startBank({
      ...readBankConfig(environment),
      ...(changeAnswering === undefined ? {} : { changeAnswering }),
      now: Date.now,
      warn: log.warn,
      onFatal: (error) =>
        fail(`The bank stops, since it can no longer keep its books: ${reasonOf(error)}`),
    })
  } catch (error) {
    if (error instanceof StartupError) fail(error.message)
    throw error
  }
}
