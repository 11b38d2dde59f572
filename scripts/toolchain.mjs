// The shared parts of all commands of package.json: packages, Node and the build. Plain JavaScript
// without a dependency, since it runs before anything is installed, on Node 20 or newer.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { locked, NODE_FOLDER } from './checkout-lock.mjs'
import { root, run, tell, ToolchainError } from './running.mjs'

/** The version that contributors use too, where they let a version manager choose. */
const NODE_VERSION = readFileSync(join(root, '.nvmrc'), 'utf8').trim()
const NODE_MAJOR_MIN = 24
const INSTALL_STAMP = join(root, 'node_modules', '.tollgate-install')
/** Built by Vite, for browsers; the others are built by the compiler alone. */
const PORTAL = join('packages', 'portal')
const CONSOLE_CONFIG = 'vite.console.config.ts'
/** The pages of portal and console, in the package's `dist`. */
const PAGES = ['web/index.html', 'console/index.html']
const BUILD_STAMP = join(root, 'node_modules', '.tollgate-build')

/**
 * Runs one npm command: the npm that runs us, or the one on the path. Settings that an outer npm
 * leaves in the environment about folders are taken out: they are about its work, not ours.
 */
async function npm(args, what) {
  const outer = process.env.npm_execpath ?? ''
  const [program, ...first] = /npm-cli\.c?js$/.test(outer) ? [process.execPath, outer] : ['npm']
  const env = { ...process.env }
  for (const name of ['npm_config_prefix', 'npm_config_local_prefix', 'npm_config_global']) {
    delete env[name]
  }
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--ignore-scripts', '--loglevel=error']
  let result
  try {
    result = await run(program, [...first, ...args, ...quiet], { quiet: true, env })
  } catch (error) {
    throw new ToolchainError(
      `${what} failed: npm cannot be run (${error.code}); install npm 10 or newer.`,
    )
  }
  if (result.code === 0) return
  if (result.signal !== null) throw new ToolchainError(`${what} was interrupted.`)
  const said = result.output.trim().split('\n').slice(0, 20).join('\n')
  throw new ToolchainError(`${what} failed; npm said:\n${said}`)
}

function readOr(file, otherwise) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}

function hashOf(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

/**
 * Installs the packages when they are missing or from another lockfile. `npm install --no-save`
 * takes the versions of the lockfile and leaves it alone, as `npm ci` does. It also works where a
 * registry lacks the optional packages of other platforms: `npm ci` refuses a lockfile without
 * them. And it does not pull the packages from under a running copy.
 */
async function installPackages() {
  const wanted = hashOf(
    readFileSync(join(root, 'package-lock.json')),
    process.platform,
    process.arch,
  )
  const isInstalled = () => readOr(INSTALL_STAMP, '') === wanted
  if (isInstalled()) return
  await locked(async () => {
    if (isInstalled()) return
    tell('Installing packages (the first time this takes a minute) ...')
    await npm(['install', '--no-save'], 'Installing the packages')
    writeFileSync(INSTALL_STAMP, wanted)
  })
}

/**
 * A Node that runs this program: the one that runs us, or one from npm in a folder of the checkout.
 */
async function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) return process.execPath
  const name = `node-${process.platform}-${process.arch}`
  const program = join(NODE_FOLDER, 'node_modules', name, 'bin', 'node')
  if (existsSync(program)) return program
  return locked(async () => {
    if (existsSync(program)) return program
    tell(
      `Fetching Node ${NODE_VERSION} (this is Node ${process.versions.node}, and 24 is needed) ...`,
    )
    const draft = join(NODE_FOLDER, 'draft')
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft)
    writeFileSync(join(draft, 'package.json'), '{ "private": true }\n')
    await npm(['install', '--prefix', draft, `${name}@${NODE_VERSION}`], 'Fetching Node')
    rmSync(join(NODE_FOLDER, 'node_modules'), { recursive: true, force: true })
    renameSync(join(draft, 'node_modules'), join(NODE_FOLDER, 'node_modules'))
    rmSync(draft, { recursive: true })
    return program
  })
}

/** Every file under a folder, as paths from the checkout's root. */
export function filesUnder(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(path) : [relative(root, path)]
  })
}

function packageFolders() {
  return readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name))
}

/** Changes when any file changes that the build reads. */
function sourcesHash() {
  const files = packageFolders().flatMap((folder) => [
    ...filesUnder(join(folder, 'src')),
    relative(root, join(folder, 'tsconfig.json')),
    relative(root, join(folder, 'package.json')),
  ])
  for (const name of ['index.html', 'console.html', 'vite.config.ts', CONSOLE_CONFIG]) {
    files.push(join(PORTAL, name))
  }
  files.push(join(PORTAL, 'list-packages.ts'))
  files.push('tsconfig.json', 'tsconfig.base.json', 'package-lock.json')
  const states = files
    .filter((file) => existsSync(join(root, file)))
    .sort()
    .map((file) => {
      const { size, mtimeMs } = statSync(join(root, file))
      return `${file} ${size} ${mtimeMs}`
    })
  return hashOf(...states)
}

function isBuilt(hash) {
  if (readOr(BUILD_STAMP, '') !== hash) return false
  return packageFolders().every((folder) =>
    (folder.endsWith(PORTAL) ? PAGES : ['.tsbuildinfo']).every((file) =>
      existsSync(join(folder, 'dist', file)),
    ),
  )
}

/** Builds when a source is newer than the build. */
async function build(node) {
  if (isBuilt(sourcesHash())) return
  await locked(async () => {
    const hash = sourcesHash()
    if (isBuilt(hash)) return
    tell('Building ...')
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const { code, output } = await run(node, [tsc, '-b'], { quiet: true })
    if (code !== 0) throw new ToolchainError(`The build failed:\n${output.trim()}`)
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
    // The console adds its packages to the list that the portal's build begins.
    for (const config of ['vite.config.ts', CONSOLE_CONFIG]) {
      const args = [vite, 'build', PORTAL, '--config', join(PORTAL, config), '--logLevel', 'warn']
      const web = await run(node, args, { quiet: true })
      if (web.code !== 0)
        throw new ToolchainError(`The build of the portal failed:\n${web.output.trim()}`)
    }
    writeFileSync(BUILD_STAMP, hash)
  })
}

/** Installs and builds missing parts. @returns the Node program to go on with. */
export async function prepareToolchain() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new ToolchainError(`This is Node ${process.versions.node}; Node 20 or newer is needed.`)
  }
  if (process.platform === 'win32') {
    throw new ToolchainError('Tollgate runs on Linux and macOS; on Windows, use WSL 2.')
  }
  await installPackages()
  const node = await findNode()
  await build(node)
  return node
}
