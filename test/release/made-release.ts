import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Nothing of the test run: above all not the condition that makes packages import sources. */
export const PLAIN = {
  PATH: `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
  LC_ALL: 'C',
} as const

/** The files of a release, and one unpacked archive. */
export interface MadeRelease {
  readonly checkout: string
  readonly version: string
  /** Seconds since 1970: the time of all files in the release. */
  readonly epoch: number
  /** The name of the archive without its ending, and of the folder in it. */
  readonly name: string
  /** A folder for everything, which the test removes. */
  readonly outer: string
  /** The folder with the made files. */
  readonly out: string
  /** The unpacked archive. */
  readonly folder: string
}

/** Makes a release of this checkout, with the command that an operator uses. */
export function makeRelease(): MadeRelease {
  const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
  const manifest = readFileSync(join(checkout, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { readonly version: string }
  const outer = mkdtempSync(join(tmpdir(), 'tollgate-release-'))
  const out = join(outer, 'made')
  const epoch = 1_795_000_000
  const script = join(checkout, 'scripts', 'release-build.mjs')
  execFileSync(process.execPath, [script, '--fast', '--out', out], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const name = `tollgate-${version}-${process.platform}-${process.arch}`
  rmSync(join(out, name), { recursive: true })
  const folder = join(outer, 'unpacked', name)
  mkdirSync(dirname(folder))
  execFileSync('tar', ['-xzf', join(out, `${name}.tar.gz`), '-C', dirname(folder)])
  return { checkout, version, epoch, name, outer, out, folder }
}
