// A step of `npm test`: asks the registry for known vulnerabilities of our runtime dependencies.
// Ends with 1 when there are any; reports a registry that does not answer.
import { spawnSync } from 'node:child_process'
import { auditLines, auditVerdict } from './audit-verdict.ts'

const DEADLINE_MS = 60_000
const QUESTION = ['audit', '--omit=dev', '--audit-level=moderate', '--json']
const ONCE = ['--fetch-retries=0', '--fetch-timeout=20000', '--loglevel=silent']

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}

const outer = process.env['npm_execpath'] ?? ''
const [program, ...first] = /npm-cli\.c?js$/.test(outer) ? [process.execPath, outer] : ['npm']
const { stdout, error } = spawnSync(program ?? 'npm', [...first, ...QUESTION, ...ONCE], {
  cwd: new URL('../../', import.meta.url),
  encoding: 'utf8',
  timeout: DEADLINE_MS,
})
const verdict = auditVerdict(stdout ?? '')
for (const line of auditLines(verdict, error?.message ?? null)) tell(line)
if (verdict.kind === 'vulnerable') process.exitCode = 1
