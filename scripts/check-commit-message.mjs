// Runs in .githooks/commit-msg: checks the message in the file that git names.
import { readFileSync } from 'node:fs'
import { faultsOfMessage } from './commit-message.mjs'
import { tell } from './running.mjs'

const [file = ''] = process.argv.slice(2)
const faults = faultsOfMessage(readFileSync(file, 'utf8'))
if (faults.length > 0) {
  for (const fault of faults) tell(fault)
  tell('Nothing was committed. CONTRIBUTING.md says how a commit is described.')
  process.exitCode = 1
}
