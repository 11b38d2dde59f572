// `npm run release:build`: makes everything that a release has, from a built checkout.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { packArchive, writeSums } from './archive.ts'
import { buildDebianPackage } from './debian-package.ts'
import { stageRelease } from './stage.ts'

const checkout = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(checkout, 'release') },
    /** Compresses little: for tests. */
    fast: { type: 'boolean', default: false },
    /** `folder` lays out the program and packs nothing: for the image. */
    only: { type: 'string', default: 'all' },
  },
})

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** The time of every file in the release: that of the commit, so a repeat gives the same bytes. */
function epochOfCommit(): number {
  const given = process.env['SOURCE_DATE_EPOCH']
  if (given !== undefined) return Number(given)
  const show = ['-C', checkout, 'log', '-1', '--format=%ct']
  return Number(execFileSync('git', show, { encoding: 'utf8' }))
}

const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
  readonly version: string
}
const { version } = manifest
const out = resolve(values.out)
const name = `tollgate-${version}-${process.platform}-${process.arch}`
const folder = join(out, name)
if (existsSync(folder)) rmSync(folder, { recursive: true })
mkdirSync(out, { recursive: true })
const staged = stageRelease(checkout, folder, version)
say(`${name}: ${(staged.bytes / 1e6).toFixed(1)} MB installed`)
if (values.only === 'all') await pack()
else if (values.only !== 'folder') throw new Error(`--only is ${values.only}; expected folder.`)

async function pack(): Promise<void> {
  const effort = values.fast ? 'fast' : 'best'
  const epoch = epochOfCommit()
  packArchive(folder, join(out, `${name}.tar.gz`), epoch, effort)
  copyFileSync(join(folder, 'sbom.cdx.json'), join(out, `${name}.cdx.json`))
  const made = [`${name}.tar.gz`, `${name}.cdx.json`]
  // Operators run the image with these. Secrets that were made in a checkout are not for others.
  const chart = `tollgate-chart-${version}.tgz`
  packArchive(join(checkout, 'deploy/helm/tollgate'), join(out, chart), epoch, effort)
  const compose = `tollgate-compose-${version}.tar.gz`
  packArchive(join(checkout, 'deploy/compose'), join(out, compose), epoch, effort, ['secrets'])
  made.push(chart, compose)
  if (process.platform === 'linux') {
    made.push(buildDebianPackage(checkout, staged, out, { epoch, effort }))
  }
  await writeSums(out, made)
  for (const file of [...made, 'SHA256SUMS']) say(join(out, file))
}
