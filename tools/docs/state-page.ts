import {
  STATE_MACHINES,
  type StateMachine,
} from '../../packages/gateway/src/wiring/state-machines.ts'

/** Relative to the root of the repository. */
export const STATE_PAGE = 'docs/internals/states.md'

const HEAD = [
  '# States',
  '',
  '`npm run docs` prints this page from the tables in `packages/gateway/src/domain`.',
  'Edit the tables, not this page.',
  '',
  'The scenario tests install these tables as triggers in their databases.',
  'A gateway that creates or moves a row in another way gets an error there.',
  '',
].join('\n')

/** The text of docs/internals/states.md. */
export function statePage(): string {
  return [HEAD, ...STATE_MACHINES.map(section)].join('\n')
}

function section({ title, table, states }: StateMachine): string {
  const rows = Object.entries(states).map(([name, { meaning, start, next }]) => {
    const moves = Object.entries(next).map(([to, cause]) => `\`${to}\`: ${cause ?? ''}`)
    const nextStates = moves.join('<br>') || '– (final)'
    return `| \`${name}\` | ${meaning} | ${start ?? '–'} | ${nextStates} |`
  })
  return [
    `## ${title}`,
    '',
    `Database table \`${table}\`.`,
    '',
    '| State | Meaning | A row starts here when | Next state and its cause |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
