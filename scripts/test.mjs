// `npm test`: installs what is missing, checks types and style, and runs every test, or those whose
// path holds one of the arguments. Arguments that start with a dash go to Node's test runner.
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
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
  tell('Checking types and style ...')
  const tools = join(root, 'node_modules')
  const tsc = join(tools, 'typescript', 'bin', 'tsc')
  const types = await run(node, [tsc, '-p', 'tsconfig.check.json'])
  const pages = await run(node, [tsc, '-p', 'tsconfig.browser.json'])
  const portal = await run(node, [tsc, '-p', join('packages', 'portal')])
  const style = await run(node, [join(tools, 'oxlint', 'bin', 'oxlint')])
  return types.code === 0 && pages.code === 0 && portal.code === 0 && style.code === 0
}

/** False when the registry knows of a vulnerability; it may not answer, and then that is told. */
async function audit(node) {
  return (await run(node, [join(root, 'supply-chain', 'audit.ts')])).code === 0
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

await runMain(async (args) => {
  const options = args.filter((arg) => arg.startsWith('-'))
  const filters = args.filter((arg) => !arg.startsWith('-'))
  const node = await prepareToolchain()
  await provideSystemPrograms()
  const isWhole = filters.length === 0
  const isClean = !isWhole || (await check(node))
  const isSafe = !isWhole || (await audit(node))
  const files = testFiles(filters)
  if (files.length === 0) {
    tell(`No test file's path holds ${filters.join(' or ')}.`)
    return 1
  }
  const runner = [
    '--conditions=tollgate-source',
    '--test',
    '--test-concurrency=2',
    // One that waits for what never comes fails, and the others are told.
    '--test-timeout=600000',
    '--test-reporter=spec',
  ]
  const { code } = await run(node, [...runner, ...options, ...files], {
    env: { ...process.env, CI: process.env.CI ?? '1' },
  })
  if (!isClean) tell('The tests ran, but the check of types and style failed; see above.')
  if (!isSafe) tell('The tests ran, but a dependency is known to be vulnerable; see above.')
  return isClean && isSafe ? code : 1
})
