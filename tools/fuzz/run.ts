// `npm run fuzz` fuzzes every public entry point. See docs/internals/fuzz.md.
import { parseArgs } from 'node:util'
import { allTargets, fuzz } from './fuzz.ts'

const USAGE = `Usage: npm run fuzz -- [options]
  --target NAME    one target only; may be given several times (all)
  --seconds N      how long each target is fuzzed (30)
  --seed TEXT      all inputs follow from it (a new one each time)
  --list           names the targets
`

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string', default: '30' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const all = await allTargets()
  if (values.help || values.list) {
    tell(values.help ? USAGE : all.map(({ name, what }) => `${name.padEnd(12)} ${what}`).join('\n'))
    return 0
  }
  const unknown = values.target.filter((name) => !all.some((target) => target.name === name))
  if (unknown.length > 0) {
    const names = all.map(({ name }) => name).join(', ')
    throw new Error(
      `--target was given "${unknown.join('", "')}", where one of ${names} is expected.`,
    )
  }
  if (!/^[1-9]\d{0,4}$/.test(values.seconds)) {
    throw new Error(
      `--seconds was given "${values.seconds}", where a whole number from 1 is expected.`,
    )
  }
  const targets = all.filter(
    ({ name }) => values.target.length === 0 || values.target.includes(name),
  )
  tell(`seed ${values.seed}, ${values.seconds} seconds for each of ${targets.length} targets`)
  const seconds = Number(values.seconds)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort())
  const { failures } = await fuzz({
    seed: values.seed,
    each: { seconds },
    targets,
    tell,
    signal: stop.signal,
  })
  for (const [name, { what, input }] of failures) {
    tell(
      `\nFAULT in ${name}, seed ${values.seed}: ${what}\nThe smallest input that shows it:\n${input}`,
    )
    tell(
      `Again: npm run fuzz -- --seed ${values.seed} --seconds ${values.seconds} --target ${name}`,
    )
  }
  return failures.size === 0 ? 0 : 1
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  },
)
