import { readBankConfig } from './bank-config.ts'
import { startBank } from './bank.ts'
import type { Bank } from './bank.ts'
import { readBrokenRule } from './broken-rules.ts'
import { StartupError, reasonOf } from './startup-error.ts'

function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

function fail(sentence: string): never {
  tell(sentence)
  process.exit(1)
}

// Left alone, Node would print all that the error holds, a card's message for one.
process.on('uncaughtException', (error: unknown) => {
  const fault = error instanceof Error ? error : new Error()
  const places = fault.stack?.split('\n').filter((line) => /^ +at /.test(line)) ?? []
  fail([`The bank ends by a fault that nobody caught: ${fault.name}.`, ...places].join('\n'))
})

async function start(): Promise<Bank> {
  try {
    return await startBank({
      ...readBankConfig(process.env),
      changeAnswering: readBrokenRule(process.env),
      now: Date.now,
      warn: tell,
      onFatal: (error) =>
        fail(`The bank stops, since it can not keep its books any more: ${reasonOf(error)}`),
    })
  } catch (error) {
    if (error instanceof StartupError) fail(error.message)
    throw error
  }
}

// Asked to stop while the books are still being read, the bank stops once they are.
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
// The parent is gone: nobody would ever stop this process otherwise.
process.on('disconnect', () => void stop())

bank = await start()
if (stopping) {
  stopping = false
  await stop()
}
const { controlUrl, port, threeDs } = bank
const ready = { level: 'info', msg: 'bank ready', port, controlUrl, threeDs }
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.send?.({ kind: 'ready', port, threeDs })
