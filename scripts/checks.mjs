// The checks of types, style and prose, which `npm run check` and `npm test` have in common.
import { join } from 'node:path'
import { root, run, tell } from './running.mjs'

const TOOLS = join(root, 'node_modules')
const TSC = join(TOOLS, 'typescript', 'bin', 'tsc')

/** `tsc` keeps its results for unchanged files, so that a second check takes seconds. */
function types(project, name) {
  const info = join(TOOLS, '.cache', 'tollgate', `${name}.tsbuildinfo`)
  return [TSC, '-p', project, '--incremental', '--tsBuildInfoFile', info]
}

const OXLINT = join(TOOLS, 'oxlint', 'bin', 'oxlint')
const TYPES = [
  types('tsconfig.check.json', 'check'),
  types(join('packages', 'portal'), 'portal'),
  types('tsconfig.browser.json', 'browser'),
]
const FORMAT = [join(TOOLS, 'oxfmt', 'bin', 'oxfmt'), '--check']
const KNIP = [join(TOOLS, 'knip', 'bin', 'knip.js'), '--no-config-hints']
const PROSE = [join('tools', 'prose-lint', 'run.ts')]
/**
 * The checks of each set of tests; those that take longest begin first. The rules of lint that need
 * types compute for half a minute, and the other checks together for as long.
 */
const CHECKS = {
  quick: [...TYPES, [OXLINT], FORMAT],
  default: [...TYPES, [OXLINT], KNIP, PROSE, FORMAT],
  all: [[OXLINT, '--type-aware'], ...TYPES, KNIP, PROSE, FORMAT],
}

/**
 * Runs all checks at once and prints the output of each in one piece.
 * @param node the program that runs them
 * @param options.set the set of tests to which the checks belong
 * @param options.niceness how far they stand behind other programs
 * @returns whether all of them passed
 */
export async function checkAll(node, { set = 'all', niceness = 0 } = {}) {
  const results = await Promise.all(
    CHECKS[set].map(async (args) => {
      const { code, output } = await run(node, args, { quiet: true, niceness })
      if (output !== '') tell(output.trimEnd())
      return code
    }),
  )
  return results.every((code) => code === 0)
}
