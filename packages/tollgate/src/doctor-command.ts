import { readEnvironmentFile } from '@tollgate/gateway/config'
import { examine } from './doctor/examine.ts'
import type { Finding } from './doctor/finding.ts'
import type { OperatorCommand } from './operator-work.ts'
import { unknownSettings } from './unknown-settings.ts'

/** Examines this installation. docs/operators/doctor.md */
export const doctor: OperatorCommand = {
  name: 'doctor',
  summary: 'examine settings, machine, certificate, database and gateway; --json for programs',
  forms: [
    {
      words: '',
      options: ['[--json]'],
      help: 'prints what was found and what to do, and exits with 1 if there is a fault',
      async run({ has }, { env, print }) {
        const stray = unknownSettings(
          Object.keys(readEnvironmentFile(process.cwd(), env)),
          Object.keys(env),
        )
        const findings = await examine(env, stray)
        const lines = has('json') ? [JSON.stringify(findings)] : describeFindings(findings)
        for (const line of lines) print(line)
        return findings.some(({ level }) => level === 'fault') ? 1 : 0
      },
    },
  ],
}

const MARKS = { good: 'ok', warning: 'warning', fault: 'FAULT' } as const

/** A line for each finding, one for what to do, and the count at the end. */
export function describeFindings(findings: readonly Finding[]): string[] {
  const lines = findings.flatMap(({ advice, found, level, part }) => [
    `${MARKS[level].padEnd(8)} ${part.padEnd(12)} ${found}`,
    ...(advice === null ? [] : [`${''.padEnd(21)} ${advice}`]),
  ])
  const faults = findings.filter(({ level }) => level === 'fault').length
  const warnings = findings.filter(({ level }) => level === 'warning').length
  return [...lines, '', `Faults: ${faults}. Warnings: ${warnings}.`]
}
