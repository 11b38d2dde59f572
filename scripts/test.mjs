// `npm test`: installs what is missing, checks types and style, and runs every test, or those whose
// path holds one of the arguments. Arguments that start with a dash go to Node's test runner.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
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
  { name: 'openssl', isThere: () => isOnPath('openssl'), packages: ['openssl'] },
  { name: 'tshark', isThere: () => isOnPath('tshark'), packages: ['tshark'] },
  {
    name: 'a system PostgreSQL',
    isThere: hasSystemPostgres,
    packages: ['postgresql-15', 'postgresql'],
  },
]

async function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = { quiet: true, env, timeout: APT_TIMEOUT_MS }
  return (await run('apt-get', args, options)).code === 0
}

/** Installs what tests need from the system's packages where that is possible; never fails. */
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
  for (const { name, packages } of missing.filter(({ isThere }) => !isThere())) {
    tell('')
    tell(
      `NOTE: ${name} is missing and could not be installed, so the tests that need it do not run.`,
    )
    tell(`      Install it with: apt-get install ${packages[0]}`)
    tell('')
  }
}

async function check(node) {
  const tools = join(root, 'node_modules')
  const tsc = join(tools, 'typescript', 'bin', 'tsc')
  const types = await run(node, [tsc, '-p', 'tsconfig.check.json'])
  const pages = await run(node, [tsc, '-p', 'tsconfig.browser.json'])
  const portal = await run(node, [tsc, '-p', join('packages', 'portal')])
  const style = await run(node, [join(tools, 'oxlint', 'bin', 'oxlint')])
  const unused = await run(node, [join(tools, 'knip', 'bin', 'knip.js'), '--no-config-hints'])
  const format = await run(node, [join(tools, 'oxfmt', 'bin', 'oxfmt'), '--check'])
  return [types, pages, portal, style, unused, format].every(({ code }) => code === 0)
}

/** False when the registry knows of a vulnerability; it may not answer, and then that is told. */
async function audit(node) {
  return (await run(node, [join(root, 'tools', 'supply-chain', 'audit.ts')])).code === 0
}

/** Makes the database cluster that the tests copy; where that fails, each makes one of its own. */
async function makeCluster(node, folder) {
  const maker = join(root, 'test', 'support', 'make-cluster.ts')
  const { code } = await run(node, ['--conditions=tollgate-source', maker, folder])
  return code === 0 ? { TOLLGATE_TEST_CLUSTER: join(folder, 'cluster') } : {}
}

function testFiles(filters) {
  const folders = readdirSync(join(root, 'packages')).map((name) =>
    join(root, 'packages', name, 'test'),
  )
  const files = [...folders, join(root, 'test')].flatMap(filesUnder)
  const tests = files.filter((file) => file.endsWith('.test.ts')).sort()
  if (filters.length === 0) return tests
  return tests.filter((file) =>
    filters.some((filter) => file.includes(filter.replace(/^\.\//, ''))),
  )
}

/** Whose files want the machine for themselves: browsers, and whole programs under load. */
const HEAVY = ['test/browser/', 'test/canary/', 'test/fuzz/', 'test/torture/']
/** Whose files wait for time-outs more than they work. */
const WAITING = ['test/scenarios/', 'test/three-ds/']
const WAITING_PER_HEAVY = 3

/**
 * What is quick comes first, and is told at once; then what is heavy, among files that leave it
 * room.
 */
function inOrder(files) {
  const isOf = (folders) => (file) =>
    folders.some((folder) => relative(root, file).startsWith(folder))
  const heavy = files.filter(isOf(HEAVY)).toReversed()
  const waiting = files.filter(isOf(WAITING))
  const quick = files.filter((file) => !isOf([...HEAVY, ...WAITING])(file))
  const mixed = waiting.flatMap((file, at) => {
    const beside = at / WAITING_PER_HEAVY
    return [...(Number.isInteger(beside) ? heavy.slice(beside, beside + 1) : []), file]
  })
  return [...quick, ...heavy.slice(Math.ceil(waiting.length / WAITING_PER_HEAVY)), ...mixed]
}

const RUNNER = [
  '--conditions=tollgate-source',
  // One that waits for what never comes fails, and the others are told.
  '--test-timeout=600000',
]

/** The files whose path was asked for, as Node's test runner runs them. */
function runSome(node, options, files) {
  const runner = [...RUNNER, '--test', '--test-concurrency=2', '--test-reporter=spec']
  return run(node, [...runner, ...options, ...files], { env: testEnvironment() })
}

/** Everything: with one cluster for all databases, and sources that are compiled once. */
async function runAll(node, options, files) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-npm-test-'))
  const env = { ...testEnvironment(), NODE_COMPILE_CACHE: join(folder, 'compiled') }
  try {
    tell('Checking types and style ...')
    const [isClean, isSafe, cluster] = await Promise.all([
      check(node),
      audit(node),
      makeCluster(node, join(folder, 'postgres')),
    ])
    const runner = [...RUNNER, ...options, join(root, 'scripts', 'run-tests.mjs')]
    const { code } = await run(node, [...runner, ...inOrder(files)], {
      env: { ...env, ...cluster },
    })
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

await runMain(async (args) => {
  const options = args.filter((arg) => arg.startsWith('-'))
  const filters = args.filter((arg) => !arg.startsWith('-'))
  const node = await prepareToolchain()
  await provideSystemPrograms()
  const files = testFiles(filters)
  if (files.length === 0) {
    tell(`No test file's path holds ${filters.join(' or ')}.`)
    return 1
  }
  if (filters.length === 0) return await runAll(node, options, files)
  return (await runSome(node, options, files)).code
})
