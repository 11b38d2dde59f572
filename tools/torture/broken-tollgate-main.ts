import { createLog } from '../../packages/tollgate/src/log.ts'
import { startTollgate } from '../../packages/tollgate/src/start.ts'
import { stopOnSignals } from '../../packages/tollgate/src/stop-signals.ts'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'

const path = (from: string): string => builtProgram(new URL(from, import.meta.url))

// All of Tollgate as "tollgate start" runs it, except for workers that break a rule.
const running = startTollgate({
  env: process.env,
  entries: {
    prepare: path('../../packages/gateway/src/prepare.ts'),
    bank: path('../../packages/bank/src/main.ts'),
    gateway: path('./broken-gateway-main.ts'),
    vault: path('../../packages/gateway/src/vault-main.ts'),
  },
  log: createLog(process.stderr, process.env['LOG_LEVEL']),
  complain: (sentence) => void process.stderr.write(`${sentence}\n`),
  print: (text) => void process.stdout.write(text),
})
stopOnSignals(running)
process.exit(await running.finished)
