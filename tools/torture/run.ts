// `npm run torture`: kills, pauses and cuts every part of a running gateway under traffic. Then it
// compares the clients' answers with the gateway's books and with the bank's. See
// docs/internals/torture.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printCertificate } from './certificate.ts'
import { torture } from './torture.ts'

const USAGE = `Usage: npm run torture -- [options]
  --seconds N      how long there is traffic and harm (90)
  --seed TEXT      what is done, and when, follows from it (a new one each time)
  --workers N      gateway processes (2)
  --clients N      clients that send at the same time (32)
  --break RULE     switch off one of the seven rules; the run must then find differences
  --keep           leave data, log and the clients' record behind, also after a good run
`

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new Error(`${option} was given "${text}", where a whole number from 1 is expected.`)
  }
  return Number(text)
}

const BANK_RULES = ['tombstones', 'repeats_from_memory']
const GATEWAY_RULES = [
  'persist_before_send',
  'reversal_with_unknown',
  'repeat_until_acknowledged',
  'late_approval_ignored',
  'renewal_looked_for_first',
]

/** The rule's name shows its keeper: gateway or bank. */
function breaks(rule: string | undefined): { gatewayBreaks?: string; bankBreaks?: string } {
  if (rule === undefined) return {}
  if (BANK_RULES.includes(rule)) return { bankBreaks: rule }
  if (GATEWAY_RULES.includes(rule)) return { gatewayBreaks: rule }
  const rules = [...GATEWAY_RULES, ...BANK_RULES].join(', ')
  throw new Error(`--break was given "${rule}", where one of ${rules} is expected.`)
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '90' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      workers: { type: 'string', default: '2' },
      clients: { type: 'string', default: '32' },
      break: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    tell(USAGE)
    return 0
  }
  const broken = breaks(values.break)
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-torture-'))
  tell(`seed ${values.seed}, in ${folder}`)
  const certificate = await torture({
    seed: values.seed,
    seconds: wholeNumber('--seconds', values.seconds),
    workers: wholeNumber('--workers', values.workers),
    clients: wholeNumber('--clients', values.clients),
    bankTimeoutMs: 1_000,
    folder,
    ...broken,
    tell,
  })
  tell(printCertificate(certificate))
  const isGood = certificate.differences.length === 0
  if (isGood && !values.keep) rmSync(folder, { recursive: true, force: true })
  else tell(`Data, log and the clients' record are in ${folder}.`)
  return isGood ? 0 : 1
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    process.exit(1)
  },
)
