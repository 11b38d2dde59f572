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

/** Those that take longest begin first. */
const CHECKS = [
  [join(TOOLS, 'oxlint', 'bin', 'oxlint'), '--type-aware'],
  types('tsconfig.check.json', 'check'),
  types(join('packages', 'portal'), 'portal'),
  types('tsconfig.browser.json', 'browser'),
  [join(TOOLS, 'knip', 'bin', 'knip.js'), '--no-config-hints'],
  [join('tools', 'prose-lint', 'run.ts')],
  [join(TOOLS, 'oxfmt', 'bin', 'oxfmt'), '--check'],
]

/**
 * Runs all checks at once and prints the output of each in one piece.
 * @param node the program that runs them
 * @returns whether all of them passed
 */
export async function checkAll(node) {
  const results = await Promise.all(
    CHECKS.map(async (args) => {
      const { code, output } = await run(node, args, { quiet: true })
      if (output !== '') tell(output.trimEnd())
      return code
    }),
  )
  return results.every((code) => code === 0)
}
