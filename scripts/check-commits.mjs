// `npm run check:commits [-- base]`: checks the messages of the commits since a base.
import { faultsOfMessage } from './commit-message.mjs'
import { run, runMain, tell, ToolchainError } from './running.mjs'

await runMain(async ([base = 'origin/main']) => {
  const range = `${base}..HEAD`
  const log = ['log', '-z', '--no-merges', '--format=%h%n%B', range]
  const { code, output } = await run('git', log, { quiet: true })
  if (code !== 0) throw new ToolchainError(`git log ${range} failed: ${output.trim()}`)
  const commits = output.split('\0').filter((commit) => commit !== '')
  const faults = commits.flatMap((commit) => {
    const [hash = '', ...lines] = commit.split('\n')
    return faultsOfMessage(lines.join('\n')).map((fault) => `${hash}: ${fault}`)
  })
  for (const fault of faults) tell(fault)
  if (faults.length === 0) tell(`The messages of ${commits.length} commits in ${range} are fine.`)
  return faults.length === 0 ? 0 : 1
})
