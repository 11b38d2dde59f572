// A step of `npm test`: asks the registry for known vulnerabilities of our runtime dependencies.
// Ends with 1 when there are any; reports a registry that does not answer.
import { spawnSync } from 'node:child_process'
import { auditVerdict } from './audit-verdict.ts'

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
switch (verdict.kind) {
  case 'clean':
    tell('npm audit: nothing known against what Tollgate needs to run.')
    break
  case 'vulnerable':
    tell('npm audit found, in what Tollgate needs to run:')
    for (const finding of verdict.findings) tell(`  ${finding}`)
    tell('Upgrade it, or replace it (docs/dependencies.md).')
    process.exitCode = 1
    break
  case 'unavailable':
    tell('')
    tell('NOTE: DEPENDENCIES WERE NOT AUDITED: the registry did not answer what is vulnerable.')
    tell(`      ${error?.message ?? verdict.why}`)
    tell('      Run "npm audit --omit=dev" where it does.')
    tell('')
}
