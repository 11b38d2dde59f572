// `npm test`, `npm run test:quick` and `npm run test:all` install missing packages, check types and
// style, and run a set of the tests (tools/test-run). Arguments select the files of all sets whose
// path holds one of them. `--write-costs` keeps how long each file of the set took, for the
// sequence of later runs. Other arguments that start with a dash go to Node's test runner.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkAll } from './checks.mjs'
import { makeRunFolder } from './run-folder.mjs'
import { root, run, runMain, tell } from './running.mjs'
import { filesUnder, prepareToolchain } from './toolchain.mjs'

const APT_TIMEOUT_MS = 10 * 60_000

function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => folder !== '' && existsSync(join(folder, program)))
}

/** Another PostgreSQL than the embedded one, as Debian installs it. */
function hasSystemPostgres() {
  const folder = '/usr/lib/postgresql'
  if (!existsSync(folder)) return false
  return readdirSync(folder).some((version) => existsSync(join(folder, version, 'bin', 'postgres')))
}

/** Programs of the system that some tests compare us with. */
const SYSTEM_PROGRAMS = [
  { name: 'Chromium', isThere: () => isOnPath('chromium'), packages: ['chromium'] },
  {
    name: 'the headless shell of Chromium',
    isThere: () => isOnPath('chromium-headless-shell'),
    packages: ['chromium-headless-shell'],
    // The tests then use the whole Chromium, which computes more.
    isOptional: true,
  },
  { name: 'openssl', isThere: () => isOnPath('openssl'), packages: ['openssl'] },
  { name: 'HAProxy', isThere: () => isOnPath('haproxy'), packages: ['haproxy'] },
  { name: 'nginx', isThere: () => isOnPath('nginx'), packages: ['nginx-light', 'nginx'] },
  { name: 'Prometheus', isThere: () => isOnPath('promtool'), packages: ['prometheus'] },
  { name: 'tshark', isThere: () => isOnPath('tshark'), packages: ['tshark'] },
  {
    name: 'OpenStack Swift, which speaks S3',
    isThere: () => existsSync('/usr/lib/python3/dist-packages/swift'),
    packages: ['python3-swift'],
  },
  {
    name: 'a system PostgreSQL',
    isThere: hasSystemPostgres,
    packages: ['postgresql-15', 'postgresql'],
  },
  {
    name: 'systemd-nspawn',
    isThere: () => isOnPath('systemd-nspawn'),
    packages: ['systemd-container'],
  },
  {
    name: 'lintian',
    isThere: () => isOnPath('lintian'),
    packages: ['lintian'],
    isOptional: true,
  },
]

async function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = { quiet: true, env, timeout: APT_TIMEOUT_MS }
  return (await run('apt-get', args, options)).code === 0
}

/** Installs the tests' system packages where that is possible; never fails. */
async function provideSystemPrograms() {
  const missing = SYSTEM_PROGRAMS.filter(({ isThere }) => !isThere())
  if (missing.length === 0) return
  const canInstall = process.getuid?.() === 0 && isOnPath('apt-get')
  if (canInstall) {
    tell(`Installing ${missing.map(({ name }) => name).join(' and ')} for the tests ...`)
    await apt('update')
    for (const { isThere, packages } of missing) {
      for (const name of packages) {
        if (isThere()) break
        await apt('install', '-y', '--no-install-recommends', name)
      }
    }
  }
  for (const { name, packages } of missing.filter(
    ({ isThere, isOptional }) => isOptional !== true && !isThere(),
  )) {
    tell('')
    tell(
      `NOTE: ${name} is missing and could not be installed, so the tests that need it do not run.`,
    )
    tell(`      Install it with: apt-get install ${packages[0]}`)
    tell('')
  }
}

/**
 * False when the registry knows of a vulnerability; a registry that does not answer is reported.
 */
async function audit(node) {
  return (await run(node, [join(root, 'tools', 'supply-chain', 'audit.ts')])).code === 0
}

/** Makes the database cluster that the tests copy; where that fails, each makes one of its own. */
async function makeCluster(node, folder, env) {
  const maker = join(root, 'test', 'support', 'make-cluster.ts')
  const { code } = await run(node, ['--conditions=tollgate-source', maker, folder], { env })
  return code === 0 ? { TOLLGATE_TEST_CLUSTER: join(folder, 'cluster') } : {}
}

/** Bundles the programs that tests start; where that fails, they start from their sources. */
async function makePrograms(node, folder, env) {
  const maker = join(root, 'tools', 'test-run', 'bundle-programs.ts')
  const { code } = await run(node, ['--conditions=tollgate-source', maker, folder], { env })
  return code === 0 ? { TOLLGATE_TEST_PROGRAMS: folder } : {}
}

function testFiles(filters) {
  const folders = readdirSync(join(root, 'packages')).map((name) =>
    join(root, 'packages', name, 'test'),
  )
  const files = [...folders, join(root, 'test')].flatMap(filesUnder)
  const tests = files.filter((file) => file.endsWith('.test.ts')).sort()
  return tests.filter((file) =>
    filters.some((filter) => file.includes(filter.replace(/^\.\//, ''))),
  )
}

const RUNNER = [
  '--conditions=tollgate-source',
  // A test that waits forever fails, and the others are reported.
  '--test-timeout=1400000',
]

/** The files with the requested paths, as Node's test runner runs them. */
function runSome(node, options, files) {
  const runner = [...RUNNER, '--test', '--test-concurrency=2', '--test-reporter=spec']
  return run(node, [...runner, ...options, ...files], { env: testEnvironment() })
}

/** Tests wait for each other and for time-outs; the checks get what cores have left. */
const BESIDE = 10

/** A whole set: with one cluster for all databases, and programs that are bundled once. */
async function runSet(node, set, options, ours) {
  const folder = makeRunFolder()
  const env = {
    ...testEnvironment(),
    TMPDIR: folder,
    // For the tests that sync what they write, which means nothing in memory.
    TOLLGATE_TEST_DISK: tmpdir(),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
  const isQuick = set === 'quick'
  try {
    const [cluster, programs] = await Promise.all([
      isQuick ? {} : makeCluster(node, join(folder, 'postgres'), env),
      isQuick ? {} : makePrograms(node, join(folder, 'programs'), env),
    ])
    tell('Testing, and checking types and style beside the tests ...')
    const checks = Promise.all([
      checkAll(node, { set, niceness: BESIDE }),
      isQuick ? true : audit(node),
    ])
    const cpu = join(root, 'tools', 'test-run', 'record-cpu.ts')
    const runner = [...RUNNER, ...options, `--import=${pathToFileURL(cpu).href}`]
    const main = join(root, 'tools', 'test-run', 'run.ts')
    const { code } = await run(node, [...runner, main, set, ...ours], {
      env: { ...env, ...cluster, ...programs },
    })
    const [isClean, isSafe] = await checks
    if (!isClean) tell('The tests ran, but the check of types and style failed; see above.')
    if (!isSafe) tell('The tests ran, but a dependency is known to be vulnerable; see above.')
    return isClean && isSafe ? code : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function testEnvironment() {
  return { ...process.env, CI: process.env.CI ?? '1' }
}

const SET = '--set='
const OURS = ['--write-costs']

await runMain(async (args) => {
  const set = args.find((arg) => arg.startsWith(SET))?.slice(SET.length) ?? 'default'
  const ours = args.filter((arg) => OURS.includes(arg))
  const options = args.filter(
    (arg) => arg.startsWith('-') && !arg.startsWith(SET) && !OURS.includes(arg),
  )
  const filters = args.filter((arg) => !arg.startsWith('-'))
  const node = await prepareToolchain()
  if (set !== 'quick') await provideSystemPrograms()
  if (filters.length === 0) return await runSet(node, set, options, ours)
  const files = testFiles(filters)
  if (files.length === 0) {
    tell(`No test file's path holds ${filters.join(' or ')}.`)
    return 1
  }
  return (await runSome(node, options, files)).code
})
