// `npm run ratchet`: writes smaller numbers into test/house/sizes.json, and never a larger one.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasRecord, measuredSizes, RECORD, recordedSizes } from './measured-sizes.ts'
import { growths, lowered, writtenSizes } from './sizes.ts'
import { root } from './source-text.ts'

const measured = measuredSizes()
// Without a record it begins one.
const recorded = hasRecord() ? recordedSizes() : measured
writeFileSync(join(root, RECORD), writtenSizes(lowered(recorded, measured)))
const grown = growths(recorded, measured)
if (grown.length > 0) {
  process.stderr.write(`These have grown, so they were left as they are:\n${grown.join('\n')}\n`)
  process.exitCode = 1
}
