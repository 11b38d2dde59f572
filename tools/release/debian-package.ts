import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Effort } from './archive.ts'
import { filesIn, MONITORING_FOLDERS, type Staged } from './stage.ts'

interface Packing {
  readonly epoch: number
  readonly effort: Effort
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
/** Places of the files of deploy/debian. */
const PLACES: readonly { readonly from: string; readonly to: string; readonly mode: number }[] = [
  { from: 'tollgate.sh', to: 'usr/bin/tollgate', mode: 0o755 },
  { from: 'tollgate.service', to: 'lib/systemd/system/tollgate.service', mode: 0o644 },
  { from: 'tollgate.env', to: 'etc/tollgate/tollgate.env', mode: 0o640 },
  { from: 'lintian-overrides', to: 'usr/share/lintian/overrides/tollgate', mode: 0o644 },
]
const SCRIPTS = ['postinst', 'prerm', 'postrm']
const PROGRAM = 'usr/lib/tollgate'
const PAPERS = 'usr/share/doc/tollgate'
/** Not among the papers, which images of containers often leave out. */
const SHARED = 'usr/share/tollgate'

/**
 * Builds the Debian package from a staged release, with this process's Node inside, because Debian
 * has no Node that is new enough.
 * @returns the file's name in `out`
 * @throws Error where `dpkg-deb` or `strip` is missing, or for an architecture without a name
 */
export function buildDebianPackage(
  checkout: string,
  staged: Staged,
  out: string,
  { epoch, effort }: Packing,
): string {
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined) {
    throw new Error(`The processor is ${process.arch}; Debian packages are for x64 and arm64.`)
  }
  const tree = join(out, 'debian')
  rmSync(tree, { recursive: true, force: true })
  const sources = join(checkout, 'deploy', 'debian')
  cpSync(staged.folder, join(tree, PROGRAM), { recursive: true, verbatimSymlinks: true })
  addNode(join(tree, PROGRAM))
  for (const { from, to, mode } of PLACES) put(join(sources, from), join(tree, to), mode)
  mkdirSync(join(tree, 'etc/tollgate/credentials'), { recursive: true })
  mkdirSync(join(tree, SHARED), { recursive: true })
  for (const part of MONITORING_FOLDERS) {
    renameSync(join(tree, PROGRAM, part), join(tree, SHARED, part))
  }
  addPapers(tree, sources, staged, epoch)
  addControl(tree, sources, { version: staged.version, architecture })
  const file = `tollgate_${staged.version}_${architecture}.deb`
  const compression = effort === 'best' ? ['-Zxz'] : ['-Znone']
  execFileSync(
    'dpkg-deb',
    ['--root-owner-group', ...compression, '--build', tree, join(out, file)],
    {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  rmSync(tree, { recursive: true })
  return file
}

/** The symbols of a debugger are a fifth of Node. */
function addNode(program: string): void {
  const node = join(program, 'node/bin/node')
  put(process.execPath, node, 0o755)
  execFileSync('strip', ['--strip-unneeded', node])
  const file = join(program, 'sbom.cdx.json')
  const sbom = JSON.parse(readFileSync(file, 'utf8')) as { components: unknown[] }
  sbom.components.unshift(nodeComponent(process.versions.node))
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
}

function nodeComponent(version: string): Readonly<Record<string, unknown>> {
  return {
    type: 'application',
    'bom-ref': `node@${version}`,
    name: 'node',
    version,
    scope: 'required',
    licenses: [{ license: { id: 'MIT' } }],
    purl: `pkg:generic/node@${version}`,
  }
}

/** The papers, at the places where Debian's readers look for them. */
function addPapers(tree: string, sources: string, staged: Staged, epoch: number): void {
  const write = (to: string, content: Buffer | string): void => {
    mkdirSync(dirname(join(tree, to)), { recursive: true })
    writeFileSync(join(tree, to), to.endsWith('.gz') ? gzipSync(content, { level: 9 }) : content)
  }
  for (const name of ['CHANGELOG.md', 'env.example', 'THIRD-PARTY-LICENSES.txt']) {
    write(`${PAPERS}/${name}.gz`, readFileSync(join(staged.folder, name)))
    rmSync(join(tree, PROGRAM, name))
  }
  // Debian's own text of this licence is on each machine.
  for (const name of ['LICENSE', 'README.txt']) rmSync(join(tree, PROGRAM, name))
  const control = readFileSync(join(sources, 'control'), 'utf8')
  const maintainer = /^Maintainer: (.*)$/m.exec(control)?.[1]
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000')
  write(
    `${PAPERS}/changelog.gz`,
    `tollgate (${staged.version}) stable; urgency=medium\n\n` +
      `  * CHANGELOG.md.gz lists the changes.\n\n -- ${maintainer}  ${date}\n`,
  )
  write(`${PAPERS}/copyright`, readFileSync(join(sources, 'copyright')))
  write('usr/share/man/man1/tollgate.1.gz', readFileSync(join(sources, 'tollgate.1')))
}

function addControl(
  tree: string,
  sources: string,
  { version, architecture }: { readonly version: string; readonly architecture: string },
): void {
  const files = filesIn(tree)
  const bytes = files.reduce((sum, file) => sum + statSync(join(tree, file)).size, 0)
  const control = readFileSync(join(sources, 'control'), 'utf8')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@SIZE@', String(Math.ceil(bytes / 1024)))
  const folder = join(tree, 'DEBIAN')
  mkdirSync(folder)
  writeFileSync(join(folder, 'control'), control)
  put(join(sources, 'conffiles'), join(folder, 'conffiles'), 0o644)
  for (const name of SCRIPTS) put(join(sources, name), join(folder, name), 0o755)
  const sums = files
    .filter((file) => !file.startsWith('etc/'))
    .map((file) => `${md5(join(tree, file))}  ${file}\n`)
  writeFileSync(join(folder, 'md5sums'), sums.join(''))
  // The umask of the builder must not decide who may read the program.
  execFileSync('find', [tree, '-type', 'd', '-exec', 'chmod', '755', '{}', '+'])
}

/** The check that dpkg knows; it finds damage. SHA256SUMS finds forgery. */
function md5(file: string): string {
  return createHash('md5').update(readFileSync(file)).digest('hex')
}

function put(from: string, to: string, mode: number): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
  chmodSync(to, mode)
}
