// `npm run release -- VERSION`: cuts a release from a clean checkout, without pushing it.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cutRelease } from './cut.ts'

const checkout = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')
const [version = ''] = process.argv.slice(2)

function build(epoch: number): void {
  const script = join(checkout, 'scripts', 'release-build.mjs')
  const { status } = spawnSync(process.execPath, [script], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error('The files of the release could not be built.')
}

try {
  cutRelease({ checkout, version, epoch: Math.floor(Date.now() / 1000), build })
  process.stderr.write(
    `The commit and the tag v${version} are made. Look at them, then push both:\n` +
      `  git push origin HEAD v${version}\n`,
  )
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
